import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { only } from "../at.ts";

const BUSY_MS = 10_000;

/**
 * Returns the keys of all objects and of all unfinished uploads in the local bucket of a stack's data folder, whether or not its
 * stack runs.
 */
export async function keysInBucket(data: string): Promise<string[]> {
  const folder = join(data, "v3", "r2", "miniflare-R2BucketObject");
  const file = only((await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)));
  const database = new DatabaseSync(join(folder, file), { readOnly: true, timeout: BUSY_MS });
  try {
    const rows = database
      .prepare("SELECT key FROM _mf_objects UNION ALL SELECT key FROM _mf_multipart_uploads WHERE state = 0")
      .all();
    return rows.map(({ key }) => String(key));
  } finally {
    database.close();
  }
}
