/** A value that has to be there. @throws where it is not, so that no test goes on with a stand-in for it. */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("a value that has to be there is missing");
  return value;
}
