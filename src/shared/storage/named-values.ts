/** A value of a statement's parameter. */
export type SqlValue = string | number | null;

/** Values by name. */
export type NamedValues = Readonly<Record<string, SqlValue>>;

/**
 * Returns a statement with numbers for its names, which is the form that D1 and Durable Objects know, and the values in the order
 * of the numbers. Each `:name` becomes the position of its value, so that fragments of SQL can also say ?1 for the first one.
 * @throws Error if a name has no value
 */
export function numbered(sql: string, values: NamedValues): [sql: string, ...values: SqlValue[]] {
  const names = Object.keys(values);
  const text = sql.replaceAll(/:([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) throw new Error(`a statement names :${name}, which has no value`);
    return `?${names.indexOf(name) + 1}`;
  });
  return [text, ...Object.values(values)];
}
