import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { only } from "../at.ts";

const BUSY_MS = 10_000;

/** The file of the local D1 database in a stack's data folder. */
export async function databaseFile(data: string): Promise<string> {
  const folder = join(data, "v3", "d1", "miniflare-D1DatabaseObject");
  const files = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return join(folder, only(files));
}

/** Reads from the local D1 database, whether its stack runs or not. A write would lock out the stack. */
export async function queryDatabase(data: string, statement: string): Promise<Record<string, unknown>[]> {
  const database = new DatabaseSync(await databaseFile(data), { readOnly: true, timeout: BUSY_MS });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}
