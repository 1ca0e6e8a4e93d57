import type { JobPolicy } from "../jobs/policy.ts";

/*
 * How long an upload may be named in a job, and when it is deleted. Milliseconds after its presign. A job that is accepted
 * finds its inputs for as long as it may need them.
 */

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
const neededMs = ({ retentionMs, maxAttempts, giveUpMs }: JobPolicy): number =>
  Math.min(retentionMs, (maxAttempts + 1) * giveUpMs);

/** For how long an upload that a job has used may be named in another. */
export const reusableMs = (policy: JobPolicy): number =>
  Math.max(USABLE_MS, policy.retentionMs - neededMs(policy));

/** When an upload that a job has used is deleted: after the retention, or later if that is too short for the last job. */
export const usedKeptMs = (policy: JobPolicy): number => reusableMs(policy) + neededMs(policy);
