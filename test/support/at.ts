/** Returns the element of an array at an index, or of a record by its key. @throws Error that names the missing one */
export function at<T>(list: readonly T[], index: number): T;
export function at<T>(record: Readonly<Record<string, T>>, key: string): T;
export function at<T>(from: Readonly<Record<string | number, T>>, key: string | number): T {
  const value = from[key];
  if (value === undefined)
    throw new Error(
      `There is nothing at ${key}; there is something at ${Object.keys(from).join(", ") || "no place"}.`,
    );
  return value;
}

/** Returns the only element of an array. @throws Error if it has none or several */
export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) throw new Error(`There are ${list.length} where one was expected.`);
  return at(list, 0);
}

/** Returns a required value. @throws Error that names it if it is null, undefined or an empty string */
export function present<T>(value: T | null | undefined, name = "value where one is expected"): T {
  if (value === null || value === undefined || value === "") throw new Error(`There is no ${name}.`);
  return value;
}
