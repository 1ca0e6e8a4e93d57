import { TaskFailure } from "../failures.ts";
import type { EngineResult } from "../messages.ts";

/** Whether a task was failed because its engine ended, by itself or because it hung. */
export function endedEngine(error: unknown): error is TaskFailure {
  return error instanceof TaskFailure && (error.code === "engine_crashed" || error.code === "engine_timeout");
}

/** An end of an engine that had several tasks: each of them may be its cause, until its pictures have been run alone. */
export class UnexplainedEnd {
  /** What the task that caused it fails with. */
  readonly failure: TaskFailure;
  /** Whether one of its pictures caused it: known once all of them have been run. */
  readonly explained: Promise<boolean>;
  readonly #resolve: (explained: boolean) => void;
  #untried: number;

  /** @param pictures how many pictures there were */
  constructor(pictures: number, failure: TaskFailure) {
    this.failure = failure;
    this.#untried = pictures;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.explained = promise;
    this.#resolve = resolve;
    if (pictures === 0) resolve(false);
  }

  /** Waits for what becomes of one of the pictures when it is run alone. */
  async tried(result: Promise<EngineResult>): Promise<void> {
    const ended = await result.then(() => false, endedEngine);
    this.#untried -= 1;
    if (ended) this.#resolve(true);
    else if (this.#untried === 0) this.#resolve(false);
  }
}
