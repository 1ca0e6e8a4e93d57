import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { PROJECT_ROOT } from "../shared/root.ts";

/** The statements of all migrations, in their order. */
export async function migrationStatements(): Promise<string[]> {
  const folder = join(PROJECT_ROOT, "migrations");
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.flatMap((text) => splitSql(text));
}
