export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** The page with each table, by its name, rewritten between its marks. @throws Error if a table has no marks */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  let written = page;
  for (const [name, text] of tables) {
    const [from, to] = [`<!-- table: ${name} -->\n`, "\n<!-- end -->"];
    const start = written.indexOf(from) + from.length;
    const end = written.indexOf(to, start);
    if (start < from.length || end < 0) throw new Error(`The page has no markers for the table ${name}.`);
    written = `${written.slice(0, start)}${text}${written.slice(end)}`;
  }
  return written;
}
