import { DatabaseSync } from "node:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../shared/command-line.ts";
import type { StateFolder } from "./state-folder.ts";

const SQLITE_BUSY = 5;

/** Holds a state folder for one stack. */
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
 * Takes the folder for this process, or fails with who has it.
 * The lock is SQLite's lock on an empty database: the kernel drops it with its process, however that
 * ended, so there is no stale lock to recognise and no race in taking one over.
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
