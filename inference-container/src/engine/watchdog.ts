import type { JobStage } from "./messages.ts";

/** How often an engine that is not held up says so. */
export const BEAT_MS = 1_000;

interface Watched {
  stage: JobStage;
  /** Since it was last heard, in time in which the engine was not held up by another job. */
  quietMs: number;
}

/**
 * Finds the job that is stuck: one that has the model for longer than the limit (a graph holds up the whole engine, so
 * that nothing else is heard meanwhile), or one that says nothing for so long although the engine runs. Who waits for
 * the model is never to blame.
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

  /** Who is to blame where the engine ends or falls silent: who has the model, else who came first. */
  get suspect(): string | undefined {
    return this.#holder ?? this.#jobs.keys().next().value;
  }

  began(id: string): void {
    this.#jobs.set(id, { stage: "busy", quietMs: 0 });
    if (this.#holder === undefined) this.#listen();
  }

  at(id: string, stage: JobStage): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    const hadModel = job.stage === "model";
    Object.assign(job, { stage, quietMs: 0 });
    if (hadModel || stage === "model" || this.#holder === undefined) this.#listen();
  }

  /** The job is alive; one that has the model must come back from it all the same. */
  told(id: string): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) job.quietMs = 0;
    if (this.#holder === undefined) this.#listen();
  }

  /** The engine is not held up: who is at work of its own could have been heard. */
  beat(): void {
    if (this.#holder === undefined) this.#listen();
    for (const [id, job] of this.#jobs) {
      if (job.stage !== "busy") continue;
      job.quietMs += BEAT_MS;
      if (job.quietMs > this.#limitMs) this.#stuck(id);
    }
  }

  ended(id: string): void {
    const hadModel = this.#holder === id;
    this.#jobs.delete(id);
    if (hadModel || this.#holder === undefined) this.#listen();
  }

  /** Watches nobody any more. */
  clear(): void {
    this.#jobs.clear();
    clearTimeout(this.#timer);
  }

  get #holder(): string | undefined {
    for (const [id, { stage }] of this.#jobs) if (stage === "model") return id;
    return undefined;
  }

  /** From now on the engine has the limit's time to be heard again. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#jobs.size === 0) return;
    this.#timer = setTimeout(() => {
      const { suspect } = this;
      if (suspect !== undefined) this.#stuck(suspect);
    }, this.#limitMs);
  }
}
