import { z } from "zod";

/** Returns true if a field of a tool's request is empty. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Returns a value without its empty fields, at every level. Keeps items of arrays, because their indexes count. */
export function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => !isNothing(each));
  return Object.fromEntries(fields.map(([name, each]) => [name, withoutNothing(each)]));
}

/** Reads every field of a tool's request that is null, "" or [] as absent: tools send all of these. */
export const fromTool = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(withoutNothing, schema);
