import type { Stage } from "../device/usage.ts";

/** How a task stands to the engine that runs it. */
export interface TaskHooks {
  /** Tells where the task is from now on. */
  at(stage: Stage): void;
  /** Tells how many units of how many are done; said again, it tells that the task is alive. */
  progress(done: number, total: number): void;
  /** Aborts with a TaskDropped when the task is cancelled. */
  readonly signal: AbortSignal;
}
