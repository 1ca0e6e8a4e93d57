import type { MeasuredFields } from "./metrics.ts";
import { crc32 } from "@segmentation/masks";
import { RecentMap } from "./recent-map.ts";

export type Level = "info" | "warn" | "error";

/** The fields of a line in addition to those of every line. */
export type Fields = Readonly<Record<string, unknown>> & { time?: never; level?: never; event?: never };

type Observer = (level: Level, event: string, fields: Fields) => void;

let observer: Observer = () => {};

/** Calls `observe`, which must never throw, after each line from now on. Returns the previous observer. */
export function observeLines(observe: Observer): Observer {
  const previous = observer;
  observer = observe;
  return previous;
}

let infoOneIn = 1;

/**
 * Writes only one of this many `info` lines from now on, and for each job, request, message or webhook delivery all of its lines
 * or none: its id decides. Observers still receive every line. Returns the previous number.
 */
export function sampleInfo(oneIn: number): number {
  const previous = infoOneIn;
  infoOneIn = oneIn;
  return previous;
}

/**
 * Returns the field that a line is sampled by: its job, else its request, message or webhook delivery. Other lines are few, and
 * never sampled.
 */
function sampledBy(fields: Readonly<Record<string, unknown>>): unknown {
  const { jobId, requestId, messageId, endpointId, eventId } = fields;
  return jobId ?? requestId ?? messageId ?? (endpointId === undefined ? undefined : eventId);
}

/** Returns the number of lines that the line represents: 1 if it is not sampled, 0 if it is not written. */
function weightOf(level: Level, fields: Fields): number {
  if (infoOneIn === 1 || level !== "info") return 1;
  const id = sampledBy(fields);
  if (typeof id !== "string") return 1;
  return crc32(new TextEncoder().encode(id)) % infoOneIn === 0 ? infoOneIn : 0;
}

/** A pattern for e-mail addresses. */
const ADDRESS = /[^\s"@<>(),:;]{1,64}@[^\s"@<>(),:;]{1,189}/g;

const withoutAddresses = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll(ADDRESS, "(e-mail address)") : value;

/**
 * Writes one structured line, unless it is sampled (`sampleInfo`): then one of many, with their number as `weight`. An event in
 * the table of metrics has the table's fields. Never pass it a key, a token or a signed URL. Removes e-mail addresses from all
 * fields, because other systems' error messages may quote one.
 */
export function log<Event extends string>(
  level: Level,
  event: Event,
  fields: Fields & MeasuredFields<Event>,
): void {
  // Always the same method: the local runtime decorates the others, and the lines would no longer be JSON.
  const weight = weightOf(level, fields);
  if (weight > 0) {
    const sampled = weight > 1 ? { weight } : {};
    const line = { time: new Date().toISOString(), level, event, ...sampled, ...fields };
    console.log(JSON.stringify(line, withoutAddresses));
  }
  observer(level, event, fields);
}

/** Returns an error's description for log lines. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Ten thousand keys take some 2 MB; the Worker's isolate has 128. */
const CAPACITY = 10_000;
/** Time for which the number of suppressed lines is kept for the key's next line. */
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

  /** Counts a line with this key. If it should be logged, returns how many there were since the last logged one; else 0. */
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
