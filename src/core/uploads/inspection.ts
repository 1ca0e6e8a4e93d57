/**
 * When the bucket is asked what was uploaded. A presigned PUT signs no length and may be used again until it expires, so
 * the first look comes after that. A PUT that began in time may end long after it, so there is a second look.
 */

/** For how long an upload's URL is good. */
export const UPLOAD_SECONDS = 300;

const FIRST_LOOK_MS = (UPLOAD_SECONDS + 60) * 1_000;
const LOOKS_MS = [FIRST_LOOK_MS, 86_400_000] as const;

/** The latest presign (epoch ms) whose URL has expired at `now`. */
export const expiredPresign = (now: number): number => now - FIRST_LOOK_MS;

/** When an upload is looked at next, after `now`; null if never. All are epoch milliseconds. */
export const nextInspection = (presignedAt: number, now: number): number | null =>
  LOOKS_MS.map((ms) => presignedAt + ms).find((at) => at > now) ?? null;

/**
 * How long the row of a deleted upload stays at the least: a request that has found the upload before its deletion has listed
 * its job by then, or was refused.
 */
export const DELETED_KEPT_MS = 360_000;
