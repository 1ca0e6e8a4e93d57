/** The queue of runs that wait for a device. */
import type { Run } from "./messages.ts";

/** Milliseconds for which the device waits for an announced run. */
const FOLLOW_MS = 20;

/**
 * Yields the run of the oldest work first: one picture ends before the next picture's encoder begins. Otherwise all
 * pictures would end as late as the last one.
 */
export class RunQueue {
  readonly #drain: () => void;
  #waiting: Run[] = [];
  /** The work whose next run is about to arrive. */
  #follows: number | undefined;
  #closed = false;
  #wake: () => void = () => undefined;

  /** @param drain adds the runs that arrived while another blocked the thread */
  constructor(drain: () => void) {
    this.#drain = drain;
  }

  add(run: Run): void {
    this.#waiting.push(run);
    this.#wake();
  }

  /** No more runs will come; the waiting ones are still yielded. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** The next run, as soon as there is one; undefined after the last. */
  async next(): Promise<Run | undefined> {
    const until = performance.now() + FOLLOW_MS;
    for (;;) {
      this.#drain();
      const run = oldest(this.#waiting);
      if (run === undefined) {
        if (this.#closed) return undefined;
        await this.#woken();
        continue;
      }
      const leftMs = this.#goesBefore(run) ? until - performance.now() : 0;
      if (leftMs > 0) {
        await this.#woken(leftMs);
        continue;
      }
      this.#take(run);
      this.#follows = run.followed ? run.work : undefined;
      return run;
    }
  }

  /** Removes a waiting run; false if none has this id. */
  remove(id: number): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((run) => run.id !== id);
    return this.#waiting.length < before;
  }

  #take(run: Run): void {
    this.#waiting = this.#waiting.filter((other) => other !== run);
  }

  /** True if an older work's next run is about to arrive. */
  #goesBefore(run: Run): boolean {
    return this.#follows !== undefined && this.#follows < run.work;
  }

  /** Resolves when the queue has changed, or after `withinMs`. */
  #woken(withinMs = Infinity): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = withinMs < Infinity ? setTimeout(() => resolve(), withinMs) : undefined;
    this.#wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }
}

function byAge(a: Run, b: Run): number {
  return a.work - b.work || a.id - b.id;
}

function oldest(runs: readonly Run[]): Run | undefined {
  return runs.toSorted(byAge)[0];
}
