import type { Lock } from "./lock.ts";
import type { JobStage } from "./messages.ts";

/** How a job stands to the engine that runs it. */
export interface JobHooks {
  /** Tells where the job is from now on. */
  at(stage: JobStage): void;
  /** Tells how many units of how many are done; said again, it tells that the job is alive. */
  progress(done: number, total: number): void;
  /** Aborts with a JobDropped when the job is cancelled. */
  readonly signal: AbortSignal;
}

/** Runs `work` when it is the job's turn with the model. @throws JobDropped where the job was cancelled by then */
export function withModel<T>(lock: Lock, hooks: JobHooks, work: () => Promise<T>): Promise<T> {
  hooks.at("waiting");
  return lock.run(async () => {
    hooks.signal.throwIfAborted();
    hooks.at("model");
    try {
      return await work();
    } finally {
      hooks.at("busy");
    }
  });
}

/** The job was cancelled; nobody waits for its answer. */
export class JobDropped extends Error {
  override readonly name = "JobDropped";
}
