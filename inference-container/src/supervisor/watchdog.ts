import type { Stage } from "../device/usage.ts";

/** The interval of the reports of an engine that is not blocked. */
export const BEAT_MS = 1_000;

interface Watched {
  stage: Stage;
  /** Time since its stage changed or its last report, without time in which the engine was blocked. */
  quietMs: number;
}

/**
 * Finds the stuck task: a task that has the device for longer than the limit, or is busy for as long without a report.
 * If the whole engine falls silent, any of its tasks may block it: names none, unless there is only one.
 */
export class Watchdog {
  readonly #limitMs: number;
  readonly #stuck: (key: string | undefined) => void;
  readonly #tasks = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param stuck receives the stuck task's key; undefined if it may be any of several */
  constructor(limitMs: number, stuck: (key: string | undefined) => void) {
    this.#limitMs = limitMs;
    this.#stuck = stuck;
  }

  /** The task that the others wait for: the task with the device, else the oldest. */
  get foremost(): string | undefined {
    for (const [key, { stage }] of this.#tasks) if (stage === "model") return key;
    return this.#tasks.keys().next().value;
  }

  began(key: string): void {
    this.#tasks.set(key, { stage: "busy", quietMs: 0 });
    this.#listen();
  }

  at(key: string, stage: Stage): void {
    const task = this.#tasks.get(key);
    if (task !== undefined) Object.assign(task, { stage, quietMs: 0 });
    this.#listen();
  }

  /** A report that the task is alive does not excuse a task that has the device. */
  reported(key: string): void {
    const task = this.#tasks.get(key);
    if (task?.stage === "busy") task.quietMs = 0;
    this.#listen();
  }

  /** The engine is not blocked: each of its tasks could have reported. */
  beat(): void {
    this.#listen();
    const late: string[] = [];
    for (const [key, task] of this.#tasks) {
      if (task.stage === "waiting") continue;
      task.quietMs += BEAT_MS;
      if (task.quietMs > this.#limitMs) late.push(key);
    }
    if (late.length > 0) this.#name(late);
  }

  ended(key: string): void {
    this.#tasks.delete(key);
    this.#listen();
  }

  /** Stops watching all tasks. */
  clear(): void {
    this.#tasks.clear();
    clearTimeout(this.#timer);
  }

  /** From now on the engine has `limitMs` to report again. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#tasks.size === 0) return;
    this.#timer = setTimeout(() => this.#name([...this.#tasks.keys()]), this.#limitMs);
  }

  #name(candidates: readonly string[]): void {
    this.#stuck(candidates.length === 1 ? candidates[0] : undefined);
  }
}
