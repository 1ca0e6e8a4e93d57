import type { AttemptError } from "../contract/webhook.ts";

/** Time limit for an endpoint's response, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Time after which an open attempt counts as cut off: the Worker was stopped meanwhile. */
const CUT_OFF_MS = 2 * ATTEMPT_TIMEOUT_MS;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after each failed attempt: the example schedule of the Standard Webhooks specification. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Share by which a wait may be longer: deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** Number of attempts that an account may request beyond the scheduled ones. */
const ASKED_FOR = 20;
export const MOST_ATTEMPTS = RETRY_DELAYS_MS.length + 1 + ASKED_FOR;

/** An attempt's result: the status of the response, or the reason for its lack; and its duration. */
export interface AttemptEnd {
  readonly status: number | null;
  readonly error: AttemptError | null;
  readonly ms: number;
}

/** One request to an endpoint. `end` is null while it is in progress. */
export interface Attempt {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly end: AttemptEnd | null;
}

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly attempts: readonly Attempt[];
  /** The time at which it is due next (epoch ms): for an attempt, or because one was cut off. Null once it has ended. */
  readonly dueAt: number | null;
  /** Null until it has ended. */
  readonly outcome: "succeeded" | "failed" | null;
}

/** A delivery that may be tried at once. */
export const newDelivery = (now: number): Delivery => ({ attempts: [], dueAt: now, outcome: null });

/** Returns true if a response is a success. */
export const isSuccess = ({ status }: AttemptEnd): boolean =>
  status !== null && status >= 200 && status < 300;

/**
 * Schedules the next attempt after a failed one, after its delay, longer by `random` in [0, 1); ends the delivery if none is
 * left.
 */
function failedAttempt(delivery: Delivery, random: number, now: number): Delivery {
  const delay = RETRY_DELAYS_MS[delivery.attempts.length - 1];
  return delay === undefined
    ? { ...delivery, dueAt: null, outcome: "failed" }
    : { ...delivery, dueAt: now + Math.round(delay * (1 + JITTER * random)) };
}

/** The attempt that has begun and not ended; undefined if there is none. */
const openAttempt = ({ attempts }: Delivery): Attempt | undefined => {
  const last = attempts.at(-1);
  return last?.end === null ? last : undefined;
};

/**
 * Begins an attempt of a due delivery. If its last attempt was cut off instead, counts it as failed, and schedules the next.
 * @returns the delivery, and the index of the new attempt; null if there is none.
 */
export function begun(
  delivery: Delivery,
  random: number,
  now: number,
): { readonly delivery: Delivery; readonly attempt: number | null } {
  const { attempts } = delivery;
  const open = openAttempt(delivery);
  if (open !== undefined) {
    const end: AttemptEnd = { status: null, error: "interrupted", ms: now - open.at };
    return { delivery: attempted(delivery, attempts.length - 1, end, random, now), attempt: null };
  }
  const more = [...attempts, { at: now, end: null }];
  return { delivery: { ...delivery, attempts: more, dueAt: now + CUT_OFF_MS }, attempt: attempts.length };
}

/** Records the end of an attempt. A success ends the delivery, however late; a failure counts only for the last attempt. */
export function attempted(
  delivery: Delivery,
  attempt: number,
  end: AttemptEnd,
  random: number,
  now: number,
): Delivery {
  const attempts = delivery.attempts.map((one, i) => (i === attempt ? { ...one, end } : one));
  const updated = { ...delivery, attempts };
  if (isSuccess(end)) return { ...updated, dueAt: null, outcome: "succeeded" };
  return attempt === attempts.length - 1 && delivery.outcome === null
    ? failedAttempt(updated, random, now)
    : updated;
}

/**
 * Returns the delivery with another attempt at its account's request, in any state; an attempt in progress counts as the
 * requested one. Null if there were too many.
 */
export function askedAgain(delivery: Delivery, now: number): Delivery | null {
  if (delivery.outcome === null && openAttempt(delivery) !== undefined) return delivery;
  return delivery.attempts.length < MOST_ATTEMPTS ? { ...delivery, dueAt: now, outcome: null } : null;
}
