import type { Stage } from "./device/usage.ts";

/** A running task's connection to its engine. */
export interface TaskHooks {
  /** Reports the stage that the task is in from now on. */
  at(stage: Stage): void;
  /** Reports how many of how many units are done; a repeated report shows that the task is alive. */
  progress(done: number, total: number): void;
  /** Aborts with a TaskDropped when the task is cancelled. */
  readonly signal: AbortSignal;
}
