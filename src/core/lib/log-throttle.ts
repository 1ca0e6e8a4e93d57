import { RecentMap } from "./recent-map.ts";

/** Ten thousand keys take some 2 MB; the Worker's isolate has 128. */
const CAPACITY = 10_000;
/** For how long what was not logged of a key is kept for its next line. */
const KEPT_MS = 3_600_000;

interface Told {
  readonly at: number;
  untold: number;
}

/** Lets a line of the log through once an interval for each key: whoever provokes it can't make the operator pay for each. */
export class LogThrottle {
  readonly #everyMs: number;
  readonly #told = new RecentMap<Told>(CAPACITY, KEPT_MS);

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Counts that a line of this key would be logged now. Returns how many came since its last line if another is due, else 0. */
  count(key: string, now: number): number {
    const told = this.#told.get(key, now);
    if (told !== undefined && now < told.at + this.#everyMs) {
      told.untold += 1;
      return 0;
    }
    this.#told.put(key, { at: now, untold: 0 }, now);
    return (told?.untold ?? 0) + 1;
  }
}
