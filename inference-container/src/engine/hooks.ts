import type { Stage } from "../device/usage.ts";

/** How a job stands to the engine that runs it. */
export interface JobHooks {
  /** Tells where the job is from now on. */
  at(stage: Stage): void;
  /** Tells how many units of how many are done; said again, it tells that the job is alive. */
  progress(done: number, total: number): void;
  /** Aborts with a JobDropped when the job is cancelled. */
  readonly signal: AbortSignal;
}

/** The job was cancelled; nobody waits for its answer. */
export class JobDropped extends Error {
  override readonly name = "JobDropped";
}
