import { rm } from "node:fs/promises";
import { endMarked, killMarked } from "../shared/marked-processes.ts";
import type { Child } from "./child.ts";
import { lockFolder } from "./folder-lock.ts";
import { type StateFolder, createStateFolder, stackMark } from "./state-folder.ts";

const STOP_GRACE_MS = 10_000;

/** A state folder in this process's hands, with the parts of the stack that run on it. */
export interface HeldFolder {
  /** How many processes an earlier stack had left behind; they are gone. */
  readonly strays: number;
  readonly add: (child: Child) => void;
  /** Ends all parts and whatever else belongs to the stack, and gives the folder free. */
  readonly release: () => Promise<void>;
}

/** Takes a state folder for one stack and clears it of an earlier stack's processes; fails where another holds it. */
export async function holdFolder(state: StateFolder): Promise<HeldFolder> {
  await createStateFolder(state);
  const lock = lockFolder(state);
  const mark = stackMark(state);
  const children: Child[] = [];
  // Also when this process ends without a stop: a repeated Ctrl-C, an error that nobody caught.
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
