import type { MeasuredFields } from "./metrics.ts";
import { RecentMap } from "./lib/recent-map.ts";

export type Level = "info" | "warn" | "error";

/** The fields of a line, apart from those that every line has. */
export type Fields = Readonly<Record<string, unknown>> & { time?: never; level?: never; event?: never };

type Observer = (level: Level, event: string, fields: Fields) => void;

let observer: Observer = () => {};

/** From now on `observe` is called with each line, once it is written. It never throws. Returns the observer before it. */
export function observeLines(observe: Observer): Observer {
  const previous = observer;
  observer = observe;
  return previous;
}

/** What looks like an e-mail address. */
const ADDRESS = /[^\s"@<>(),:;]{1,64}@[^\s"@<>(),:;]{1,189}/g;

const withoutAddresses = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll(ADDRESS, "(e-mail address)") : value;

/**
 * Writes one structured line; an event of the table of metrics has the fields that the table names. Never give it a key, a
 * token or a signed URL. An e-mail address is left out wherever it stands, because the sentences of others' errors may
 * quote one.
 */
export function log<Event extends string>(
  level: Level,
  event: Event,
  fields: Fields & MeasuredFields<Event>,
): void {
  // Always the same method: the local runtime decorates the others, and the lines would no longer be JSON.
  const line = { time: new Date().toISOString(), level, event, ...fields };
  console.log(JSON.stringify(line, withoutAddresses));
  observer(level, event, fields);
}

/** An error as a log line tells it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

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
