import type { Stage } from "../device/usage.ts";

/** How often an engine that is not held up says so. */
export const BEAT_MS = 1_000;

interface Watched {
  stage: Stage;
  /** Since its stage changed or it was heard, in time in which the engine was not held up. */
  quietMs: number;
}

/**
 * Finds the task that is stuck: one that has the device, or is at work of its own, for longer than the limit without a
 * word; or, where the whole engine falls silent, the one that has most likely silenced it. Who waits for the device is
 * never to blame as long as another could be.
 */
export class Watchdog {
  readonly #limitMs: number;
  readonly #stuck: (key: string) => void;
  readonly #tasks = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param stuck is called with the stuck task's key */
  constructor(limitMs: number, stuck: (key: string) => void) {
    this.#limitMs = limitMs;
    this.#stuck = stuck;
  }

  /** Who is to blame where the engine ends: who has the device, else who came first. */
  get suspect(): string | undefined {
    return this.#firstAt("model") ?? this.#tasks.keys().next().value;
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

  /** The task is alive; one that has the device must come back from it all the same. */
  told(key: string): void {
    const task = this.#tasks.get(key);
    if (task?.stage === "busy") task.quietMs = 0;
    this.#listen();
  }

  /** The engine is not held up: each of its tasks could have been heard. */
  beat(): void {
    this.#listen();
    for (const [key, task] of this.#tasks) {
      if (task.stage === "waiting") continue;
      task.quietMs += BEAT_MS;
      if (task.quietMs > this.#limitMs) this.#stuck(key);
    }
  }

  ended(key: string): void {
    this.#tasks.delete(key);
    this.#listen();
  }

  /** Watches nobody any more. */
  clear(): void {
    this.#tasks.clear();
    clearTimeout(this.#timer);
  }

  /** From now on the engine has the limit's time to be heard again. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#tasks.size === 0) return;
    this.#timer = setTimeout(() => {
      // Graphs have a thread of their own: what silences the engine's is a task's own work.
      const silencer = this.#firstAt("busy") ?? this.suspect;
      if (silencer !== undefined) this.#stuck(silencer);
    }, this.#limitMs);
  }

  #firstAt(wanted: Stage): string | undefined {
    for (const [key, { stage }] of this.#tasks) if (stage === wanted) return key;
    return undefined;
  }
}
