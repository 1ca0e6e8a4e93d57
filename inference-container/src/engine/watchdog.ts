import type { Stage } from "../device/usage.ts";

/** How often an engine that is not held up says so. */
export const BEAT_MS = 1_000;

interface Watched {
  stage: Stage;
  /** Since its stage changed or it was heard, in time in which the engine was not held up. */
  quietMs: number;
}

/**
 * Finds the job that is stuck: one that has the device, or is at work of its own, for longer than the limit without a
 * word; or, where the whole engine falls silent, the one that has most likely silenced it. Who waits for the device is
 * never to blame as long as another could be.
 */
export class Watchdog {
  readonly #limitMs: number;
  readonly #stuck: (id: string) => void;
  readonly #jobs = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param stuck is called with the stuck job's id */
  constructor(limitMs: number, stuck: (id: string) => void) {
    this.#limitMs = limitMs;
    this.#stuck = stuck;
  }

  /** Who is to blame where the engine ends: who has the device, else who came first. */
  get suspect(): string | undefined {
    return this.#firstAt("model") ?? this.#jobs.keys().next().value;
  }

  began(id: string): void {
    this.#jobs.set(id, { stage: "busy", quietMs: 0 });
    this.#listen();
  }

  at(id: string, stage: Stage): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) Object.assign(job, { stage, quietMs: 0 });
    this.#listen();
  }

  /** The job is alive; one that has the device must come back from it all the same. */
  told(id: string): void {
    const job = this.#jobs.get(id);
    if (job?.stage === "busy") job.quietMs = 0;
    this.#listen();
  }

  /** The engine is not held up: each of its jobs could have been heard. */
  beat(): void {
    this.#listen();
    for (const [id, job] of this.#jobs) {
      if (job.stage === "waiting") continue;
      job.quietMs += BEAT_MS;
      if (job.quietMs > this.#limitMs) this.#stuck(id);
    }
  }

  ended(id: string): void {
    this.#jobs.delete(id);
    this.#listen();
  }

  /** Watches nobody any more. */
  clear(): void {
    this.#jobs.clear();
    clearTimeout(this.#timer);
  }

  /** From now on the engine has the limit's time to be heard again. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#jobs.size === 0) return;
    this.#timer = setTimeout(() => {
      // Graphs have a thread of their own: what silences the engine's is a job's own work.
      const silencer = this.#firstAt("busy") ?? this.suspect;
      if (silencer !== undefined) this.#stuck(silencer);
    }, this.#limitMs);
  }

  #firstAt(wanted: Stage): string | undefined {
    for (const [id, { stage }] of this.#jobs) if (stage === wanted) return id;
    return undefined;
  }
}
