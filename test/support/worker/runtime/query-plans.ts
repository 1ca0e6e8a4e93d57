import { home } from "./databases.ts";

/** Returns the number of a statement's parameters; they are all numbered. */
const parametersOf = (sql: string): number =>
  Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));

/** The lines of SQLite's plan for a statement. */
export async function planOf(sql: string): Promise<string[]> {
  const { results } = await home.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...Array.from({ length: parametersOf(sql) }, () => null))
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}
