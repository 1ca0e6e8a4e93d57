import { z } from "zod";

/** Tells whether a field of a tool's request means nothing. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Returns a value without its empty fields, at every level. Items of arrays stay, because their places count. */
export function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => !isNothing(each));
  return Object.fromEntries(fields.map(([name, each]) => [name, withoutNothing(each)]));
}

/** Reads every field of a tool's request that is null, "" or [] as absent: tools have all of these spellings of nothing. */
export const fromTool = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(withoutNothing, schema);
