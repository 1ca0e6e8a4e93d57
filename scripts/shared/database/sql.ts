/** The values that the statements use: text, whole numbers, NULL. */
export type SqlValue = string | number | null;

function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new RangeError(`Not a whole number: ${value}`);
    return String(value);
  }
  // SQLite ends a statement's text at NUL, so a literal cannot contain one.
  if (value.includes("\0")) throw new RangeError("Text with a NUL character cannot be written as SQL.");
  return `'${value.replaceAll("'", "''")}'`;
}

/**
 * One SQL statement with its values written as literals, because `wrangler d1 execute` binds no parameters. This is
 * the only place that writes literals. Use it as a tag: sql`SELECT * FROM jobs WHERE id = ${id}`.
 */
export function sql(parts: TemplateStringsArray, ...values: readonly SqlValue[]): string {
  return String.raw({ raw: parts }, ...values.map(literal)).trim();
}
