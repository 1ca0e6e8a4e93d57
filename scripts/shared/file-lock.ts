import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/** A lock on a file that this process holds. */
export interface FileLock {
  release(): void;
}

/**
 * Locks a file for this process, for which it waits up to `waitMs` milliseconds.
 * @returns undefined if another process holds it
 *
 * The lock is SQLite's lock on an empty database. The kernel releases it with its process, however that ends, so there are no
 * stale locks to detect and no race for one.
 */
export function lockFile(path: string, waitMs = 0): FileLock | undefined {
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
