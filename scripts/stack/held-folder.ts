import { rm } from "node:fs/promises";
import { endMarked, killMarked } from "../shared/marked-processes.ts";
import type { Child } from "./child.ts";
import { lockFolder } from "./folder-lock.ts";
import { type StateFolder, createStateFolder, stackMark } from "./state-folder.ts";

const STOP_GRACE_MS = 10_000;

/** A state folder that this process holds, with the parts of the stack that run on it. */
export interface HeldFolder {
  /** How many processes of an earlier stack were still running; they have been killed. */
  readonly strays: number;
  readonly add: (child: Child) => void;
  /** Ends all processes of the stack and releases the folder. */
  readonly release: () => Promise<void>;
}

/** Takes a state folder for one stack and kills processes that an earlier stack left. @throws Failure if another stack holds it */
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
