/*
 * How long an upload may be named in a job, and when it is deleted. Milliseconds after its presign. A job that is accepted
 * finds its inputs for as long as it may need them.
 */

/** How long jobs are kept, and how long one may take. */
interface JobTimes {
  readonly retentionMs: number;
  readonly maxAttempts: number;
  readonly giveUpMs: number;
}

/** For how long an upload may first be named in a job. */
export const USABLE_MS = 86_400_000;

/**
 * When an upload that no job has used is deleted. A request that has found the upload usable has accepted its job by then,
 * and marked the upload as used: an accepted job never loses its input to the sweep.
 */
export const UNUSED_KEPT_MS = USABLE_MS + 3_600_000;

/**
 * How long after its acceptance a job may need its inputs: each attempt may have waited as long as a task may, and all of
 * them together take as long as one such wait. No job outlives its own retention.
 */
const neededMs = ({ retentionMs, maxAttempts, giveUpMs }: JobTimes): number =>
  Math.min(retentionMs, (maxAttempts + 1) * giveUpMs);

/** For how long an upload that a job has used may be named in another. */
export const reusableMs = (policy: JobTimes): number =>
  Math.max(USABLE_MS, policy.retentionMs - neededMs(policy));

/** When an upload that a job has used is deleted: after the retention, or later if that is too short for the last job. */
export const usedKeptMs = (policy: JobTimes): number => reusableMs(policy) + neededMs(policy);

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
