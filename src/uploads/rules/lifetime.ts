/*
 * The time for which a job may name an upload, and the time of its deletion, in milliseconds after its presign. An accepted job
 * finds its inputs for as long as it may need them.
 */

/** The retention of jobs, and the maximum duration of one. */
interface JobTimes {
  readonly retentionMs: number;
  readonly maxAttempts: number;
  readonly giveUpMs: number;
}

/** Time within which a job may first name an upload. */
export const USABLE_MS = 86_400_000;

/**
 * Time after which an unused upload is deleted. A request that has found the upload usable has accepted its job by then, and
 * marked the upload as used: an accepted job never loses its input to the sweep.
 */
export const UNUSED_KEPT_MS = USABLE_MS + 3_600_000;

/**
 * Returns the time after its acceptance for which a job may need its inputs: each attempt may have waited as long as a task may,
 * and all of them together take as long as one such wait. No job outlives its retention.
 */
const neededMs = ({ retentionMs, maxAttempts, giveUpMs }: JobTimes): number =>
  Math.min(retentionMs, (maxAttempts + 1) * giveUpMs);

/** Returns the time for which another job may name a used upload. */
export const reusableMs = (policy: JobTimes): number =>
  Math.max(USABLE_MS, policy.retentionMs - neededMs(policy));

/** Returns the time after which a used upload is deleted: the retention, or longer if the last job needs it. */
export const usedKeptMs = (policy: JobTimes): number => reusableMs(policy) + neededMs(policy);

/**
 * The times of inspections. A presigned PUT signs no length and works until it expires, so the first inspection comes after that.
 * A PUT that began in time may end long after it, so there is a second inspection.
 */

export const UPLOAD_SECONDS = 300;

const FIRST_LOOK_MS = (UPLOAD_SECONDS + 60) * 1_000;
const LOOKS_MS = [FIRST_LOOK_MS, 86_400_000] as const;

/** The latest presign (epoch ms) whose URL has expired at `now`. */
export const expiredPresign = (now: number): number => now - FIRST_LOOK_MS;

/** Returns the time of an upload's next inspection after `now`; null if there is none. All are epoch milliseconds. */
export const nextInspection = (presignedAt: number, now: number): number | null =>
  LOOKS_MS.map((ms) => presignedAt + ms).find((at) => at > now) ?? null;

/**
 * Minimum time for which the row of a deleted upload stays: a request that has found the upload before its deletion has listed
 * its job by then, or was refused.
 */
export const DELETED_KEPT_MS = 360_000;
