import type { MeasuredFields } from "./metrics.ts";
import { RecentMap } from "./lib/recent-map.ts";

export type Level = "info" | "warn" | "error";

/** The fields of a line besides those that every line has. */
export type Fields = Readonly<Record<string, unknown>> & { time?: never; level?: never; event?: never };

type Observer = (level: Level, event: string, fields: Fields) => void;

let observer: Observer = () => {};

/** From now on `observe`, which never throws, is called with each line once it is written. Returns the previous observer. */
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
 * Writes one structured line; an event in the table of metrics has the fields that the table names. Never pass it a key, a
 * token or a signed URL. E-mail addresses are removed wherever they are, because other systems' error messages may quote
 * one.
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

/** An error as log lines describe it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Ten thousand keys take some 2 MB; the Worker's isolate has 128. */
const CAPACITY = 10_000;
/** How long the number of suppressed lines is kept for the key's next line. */
const KEPT_MS = 3_600_000;

interface Logged {
  readonly at: number;
  suppressed: number;
}

/** Lets one log line per key and interval through, so that callers who provoke it cannot run up the operator's costs. */
export class LogThrottle {
  readonly #everyMs: number;
  readonly #logged = new RecentMap<Logged>(CAPACITY, KEPT_MS);

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Counts a line with this key. If it is to be logged, returns how many there were since the last logged one; else 0. */
  count(key: string, now: number): number {
    const last = this.#logged.get(key, now);
    if (last !== undefined && now < last.at + this.#everyMs) {
      last.suppressed += 1;
      return 0;
    }
    this.#logged.put(key, { at: now, suppressed: 0 }, now);
    return (last?.suppressed ?? 0) + 1;
  }
}
