import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Database, Row } from "../../../scripts/shared/database/database.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** An in-memory SQLite database with the project's schema, in place of D1. */
export function openDatabase(): Database {
  const sqlite = new DatabaseSync(":memory:");
  const folder = join(PROJECT_ROOT, "migrations");
  for (const name of readdirSync(folder).toSorted()) sqlite.exec(readFileSync(join(folder, name), "utf8"));
  const rowsOf = (statement: string): Row[] =>
    sqlite
      .prepare(statement)
      .all()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === "number" || value === null ? value : String(value),
          ]),
        ),
      );
  return { run: async (statements) => statements.map(rowsOf) };
}
