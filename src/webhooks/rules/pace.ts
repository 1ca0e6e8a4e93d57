import type { AttemptEnd } from "./delivery.ts";

/** The platform gives an invocation six connections at a time; a seventh request would wait while its timeout runs. */
export const MOST_AT_A_TIME = 6;
/** Number of concurrent requests to an endpoint before its pace is known. */
export const FIRST_AT_A_TIME = 2;
/** A response that takes this long, milliseconds, is close to the timeout: more requests would exceed it. */
const SLOW_MS = 10_000;

/** Number of concurrent requests that an endpoint may have: from 1 to 6, whose fraction is progress toward one more. */
export type Pace = number;

/** The number of requests that a pace allows at a time. */
export const widthOf = (pace: Pace): number => Math.floor(pace);

/**
 * Returns true if an endpoint falls behind: no response or a slow one, 429, or a status from 500. Any other response, including a
 * quick refusal, shows that it keeps up.
 */
const fallsBehind = ({ status, ms }: AttemptEnd): boolean =>
  status === null || status === 429 || status >= 500 || ms >= SLOW_MS;

/**
 * Returns the pace after an attempt: one more at a time once as many requests as it allows have kept up, and half as many if one
 * has not.
 */
export const paceAfter = (pace: Pace, end: AttemptEnd): Pace =>
  fallsBehind(end) ? Math.max(1, pace / 2) : Math.min(MOST_AT_A_TIME, pace + 1 / widthOf(pace));
