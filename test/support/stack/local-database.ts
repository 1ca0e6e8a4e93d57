import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { only } from "../at.ts";

const BUSY_MS = 10_000;

/** The SQLite file of a local binding's only object in a stack's data folder. */
async function fileOf(data: string, kind: "d1" | "r2", object: string): Promise<string> {
  const folder = join(data, "v3", kind, `miniflare-${object}`);
  const files = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return join(folder, only(files));
}

/** The file of the local D1 database in a stack's data folder. */
export const databaseFile = (data: string): Promise<string> => fileOf(data, "d1", "D1DatabaseObject");

/** Runs a read, whether or not the file's stack runs. A write would lock out the stack. */
function query(file: string, statement: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

/** Reads from the local D1 database. */
export const queryDatabase = async (data: string, statement: string): Promise<Record<string, unknown>[]> =>
  query(await databaseFile(data), statement);

/** Returns the keys of an account's inputs in the local bucket, including unfinished multipart uploads. */
export const inputsInBucket = async (data: string, accountId: string): Promise<unknown[]> =>
  query(
    await fileOf(data, "r2", "R2BucketObject"),
    `SELECT key FROM _mf_objects WHERE key LIKE 'inputs/${accountId}/%'
     UNION ALL SELECT key FROM _mf_multipart_uploads WHERE state = 0 AND key LIKE 'inputs/${accountId}/%'`,
  );
