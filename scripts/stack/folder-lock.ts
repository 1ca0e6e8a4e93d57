import { DatabaseSync } from "node:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../shared/command-line.ts";
import type { StateFolder } from "./state-folder.ts";

const SQLITE_BUSY = 5;

/** A lock that reserves a state folder for one stack. */
export interface FolderLock {
  release(): void;
}

function holder(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, "utf8").trim()})`;
  } catch {
    return "";
  }
}

/**
 * Locks the folder for this process. @throws Failure that names the process that holds it
 *
 * The lock is SQLite's lock on an empty database. The kernel releases it with its process, however that ends, so there
 * are no stale locks to detect and no race to take one over.
 */
export function lockFolder(state: StateFolder): FolderLock {
  const database = new DatabaseSync(state.lock);
  const pidFile = `${state.lock}.pid`;
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) {
      throw new Failure(
        `Another stack${holder(pidFile)} uses ${state.path}. Stop it, or set STATE_DIR to another folder.`,
      );
    }
    throw error;
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => database.close() };
}
