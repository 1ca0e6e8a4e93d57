/** What becomes of the tasks that were in an engine when its process ended. */
import { taskFailure, TaskFailure } from "../failures.ts";
import type { EngineResult, EngineTask } from "../messages.ts";

/** Why an engine is killed: a task is stuck, or was cancelled and still holds the model; its start takes too long. */
export interface Kill {
  readonly why: "stuck" | "cancelled" | "unready";
  /** The task; undefined if it may be any of several. */
  readonly key: string | undefined;
}

/** The engine ended because of another task: this one has to run again. */
export class Displaced extends Error {
  override readonly name = "Displaced";
}

/** The engine ended because of this task or another: this one has to run alone. */
export class Suspected extends Error {
  override readonly name = "Suspected";
  readonly end: UnexplainedEnd;

  constructor(end: UnexplainedEnd) {
    super();
    this.end = end;
  }
}

/**
 * What each task that is still wanted is rejected with, in their order: the culprit with its failure, the others to
 * run again, or to run alone if the culprit is unknown.
 * @param inside how many tasks were in the engine, including those that are no longer needed
 * @param kill why the engine was killed; undefined if it ended on its own
 */
export function fates(
  wanted: readonly EngineTask[],
  inside: number,
  kill: Kill | undefined,
  taskTimeoutMs: number,
): (TaskFailure | Displaced | Suspected)[] {
  const culprit = kill?.key ?? (inside === 1 ? wanted[0]?.key : undefined);
  const failure =
    kill?.why === "stuck"
      ? taskFailure("engine_timeout", { seconds: taskTimeoutMs / 1_000 })
      : taskFailure("engine_crashed");
  const pictures = wanted.filter(({ type }) => type === "image");
  const end = new UnexplainedEnd(pictures.length, failure);
  return wanted.map(({ key }) => {
    if (key === culprit) return failure;
    return culprit === undefined ? new Suspected(end) : new Displaced();
  });
}

/** Whether a task failed because its engine ended, on its own or because it hung. */
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

  /** Waits for the outcome of one of the pictures when it runs alone. */
  async tried(result: Promise<EngineResult>): Promise<void> {
    const ended = await result.then(() => false, endedEngine);
    this.#untried -= 1;
    if (ended) this.#resolve(true);
    else if (this.#untried === 0) this.#resolve(false);
  }
}
