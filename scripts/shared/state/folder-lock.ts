import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Failure } from "../command-line.ts";
import { type FileLock, lockFile } from "../file-lock.ts";
import { endMarked, killMarked } from "../marked-processes.ts";
import type { Child } from "../child.ts";
import { type StateFolder, createStateFolder, stackMark } from "./state-folder.ts";

/** Longer than reading the lock takes. */
const BUSY_MS = 200;

function holder(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, "utf8").trim()})`;
  } catch {
    return "";
  }
}

/** Locks the folder for one stack in this process. @throws Failure that names the process that holds it */
export function lockFolder(state: StateFolder): FileLock {
  const pidFile = `${state.lock}.pid`;
  const lock = lockFile(state.lock, BUSY_MS);
  if (lock === undefined)
    throw new Failure(
      `Another stack${holder(pidFile)} uses ${state.path}. Stop it, or set STATE_DIR to another folder.`,
    );
  writeFileSync(pidFile, `${process.pid}\n`);
  return lock;
}

/** Returns true if a stack has the folder: it runs, is being started or is being stopped. */
export function isFolderLocked(state: StateFolder): boolean {
  const lock = lockFile(state.lock);
  lock?.release();
  return lock === undefined;
}

const STOP_GRACE_MS = 10_000;

/** A state folder that this process holds, with the parts of the stack that run on it. */
export interface HeldFolder {
  /** Number of processes of an earlier stack that still ran; they have been killed. */
  readonly strays: number;
  readonly add: (child: Child) => void;
  /** Ends all processes of the stack and releases the folder. */
  readonly release: () => Promise<void>;
}

/** Takes a state folder for one stack and kills processes of an earlier stack. @throws Failure if another stack holds it */
export async function holdFolder(state: StateFolder): Promise<HeldFolder> {
  await createStateFolder(state);
  const lock = lockFolder(state);
  const mark = stackMark(state);
  const children: Child[] = [];
  // Needed if this process ends without `release`: after a second Ctrl-C or an uncaught error.
  const killAll = (): void => void killMarked(mark);
  process.on("exit", killAll);
  await rm(state.ready, { force: true });
  return {
    strays: await endMarked(mark),
    add: (child) => void children.push(child),
    release: async () => {
      await rm(state.ready, { force: true });
      await Promise.all(children.map((child) => child.stop(STOP_GRACE_MS)));
      await endMarked(mark);
      process.off("exit", killAll);
      lock.release();
    },
  };
}
