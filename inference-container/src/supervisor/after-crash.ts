/** Decides the fate of an engine's tasks after its process ended, or after it failed them. */
import { mayBeDevices, taskFailure, TaskFailure } from "../failures.ts";
import type { EngineResult, EngineTask } from "../messages.ts";

/**
 * The reason to kill an engine: a task is stuck, or was canceled and still holds the model; its device failed a task
 * and then the golden picture; its start takes too long.
 */
export interface Kill {
  readonly why: "stuck" | "cancelled" | "unwell" | "unready";
  /** The task; undefined if it may be any of several, or none is to blame. */
  readonly key: string | undefined;
}

/** The engine ended because of another task: this one has to run again. */
export class Displaced extends Error {
  override readonly name = "Displaced";
}

/** This task is to blame, or its device, or another task: running it again shows which. */
export class Suspected extends Error {
  override readonly name = "Suspected";
  readonly doubt: Doubt;
  /**
   * "several": any of the tasks in the engine may have ended it. "one": only this task or the device. "device": the
   * golden picture failed too, so most likely the device.
   */
  readonly of: "several" | "one" | "device";

  constructor(doubt: Doubt, of: Suspected["of"]) {
    super();
    this.doubt = doubt;
    this.of = of;
  }
}

/**
 * The rejection of each task that is still wanted, in their order: a known culprit as suspected and the others to run
 * again, or else each as suspected among several.
 * @param inside the number of tasks in the engine, including those that are no longer needed
 * @param kill the reason to kill the engine; undefined if it ended by itself
 */
export function outcomesAfterCrash(
  wanted: readonly EngineTask[],
  inside: number,
  kill: Kill | undefined,
  taskTimeoutMs: number,
): (Displaced | Suspected)[] {
  const isUnwell = kill?.why === "unwell";
  const culprit = kill?.key ?? (inside === 1 && !isUnwell ? wanted[0]?.key : undefined);
  const failure = isUnwell
    ? taskFailure("internal_error")
    : kill?.why === "stuck"
      ? taskFailure("engine_timeout", { seconds: taskTimeoutMs / 1_000 })
      : taskFailure("engine_crashed");
  const pictures = wanted.filter(({ type }) => type === "image").length;
  const doubt = new Doubt(culprit === undefined ? pictures : 1, failure);
  return wanted.map(({ key }) => {
    if (key === culprit) return new Suspected(doubt, isUnwell ? "device" : "one");
    return culprit === undefined && !isUnwell ? new Suspected(doubt, "several") : new Displaced();
  });
}

/** True if a task failed because its engine ended, by itself or because it hung. */
export function endedEngine(error: unknown): error is TaskFailure {
  return error instanceof TaskFailure && (error.code === "engine_crashed" || error.code === "engine_timeout");
}

/**
 * A failure whose cause is open: running its suspects again shows whether a task caused it. Otherwise the device did.
 */
export class Doubt {
  /** The failure of the task that caused it. */
  readonly failure: TaskFailure;
  /** True if one of the suspects caused it. */
  readonly explained: Promise<boolean>;
  readonly #resolve: (explained: boolean) => void;
  #untried: number;

  /** @param suspects the number of tasks that will run again */
  constructor(suspects: number, failure: TaskFailure) {
    this.failure = failure;
    this.#untried = suspects;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.explained = promise;
    this.#resolve = resolve;
    if (suspects === 0) resolve(false);
  }

  /** Waits for the outcome of a suspect's second run. A suspect that is no longer wanted counts as the cause. */
  async tried(result: Promise<EngineResult>): Promise<void> {
    const isCause = await result.then(
      () => false,
      (error: unknown) => !(error instanceof TaskFailure) || endedEngine(error) || mayBeDevices(error),
    );
    this.#untried -= 1;
    if (isCause) this.#resolve(true);
    else if (this.#untried === 0) this.#resolve(false);
  }
}
