import { log, reasonOf } from "../../shared/log.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { lateWritesMs } from "../rules/policy.ts";
import type { JobAge } from "../store/old-jobs.ts";

const PAGE = 100;
/** Limit of a night's work: the next night continues there, and so reaches all jobs. */
const MOST_PAGES = 100;
/** A cron has 15 minutes, and purging a job may take seconds. */
const RUN_MS = 5 * 60_000;

/** Time that a job may be in progress without a change of its status before its object is woken. */
export const STUCK_MS = 86_400_000;

/**
 * Wakes the objects of jobs that have been in progress for long, oldest first, or after the last one of the night before. Such an
 * object restores a lost alarm and repeats a lost push. Removes a job without an object from the list.
 */
export const wakeStuckJobs = (platform: Platform, now: number): Promise<void> =>
  wakeAll(platform, "stuck_jobs", (after) => platform.oldJobs.underWaySince(now - STUCK_MS, after, PAGE));

/** Wakes the objects of jobs that are past their retention: their alarms were set for an earlier, longer one. */
export const wakeOutlivedJobs = (platform: Platform, now: number): Promise<void> =>
  wakeAll(platform, "outlived_jobs", (after) =>
    platform.oldJobs.createdUntil(now - platform.policy.retentionMs, after, PAGE),
  );

/** Time after its last purge from which a deleted job counts as stuck. */
const PURGE_LATE_MS = 3_600_000;

/** Returns the time (epoch ms) since which a deleted job that still has a row should be gone. */
export const purgedBy = ({ policy }: Platform, now: number): number =>
  now - lateWritesMs(policy) - PURGE_LATE_MS;

/** Wakes the objects of deleted jobs that still have files although no holder can write any more. */
export const wakeDeletedJobs = (platform: Platform, now: number): Promise<void> =>
  wakeAll(platform, "deleted_jobs", (after) =>
    platform.oldJobs.deletedBefore(purgedBy(platform, now), after, PAGE),
  );

async function wakeAll(
  platform: Platform,
  part: string,
  pageAfter: (after: JobAge | null) => Promise<JobAge[]>,
): Promise<void> {
  const until = Date.now() + RUN_MS;
  let woken = 0;
  let unknown = 0;
  const begin = await platform.oldJobs.sweepCursor(part);
  let after: JobAge | null = begin === null ? null : { since: begin, jobId: "" };
  let isRound = false;
  for (let pages = 0; pages < MOST_PAGES && !isRound && Date.now() <= until; pages += 1) {
    const page: JobAge[] = await pageAfter(after);
    const isKnown = await mapPool(page, CONNECTIONS, ({ jobId }) => wake(platform, jobId));
    const gone = page.filter((_, i) => !isKnown[i]).map(({ jobId }) => jobId);
    woken += page.length - gone.length;
    unknown += await strike(platform, part, gone);
    after = page.at(-1) ?? after;
    isRound = page.length < PAGE;
  }
  await platform.oldJobs.saveSweepCursor(part, isRound ? null : (after?.since ?? null));
  if (woken + unknown > 0) log("info", "jobs_woken", { part, woken, unknown });
}

/** Removes jobs without an object from the list. Returns the number: zero if it can't be done now; the next night tries again. */
async function strike(
  { jobs, database }: Platform,
  part: string,
  jobIds: readonly string[],
): Promise<number> {
  if (jobIds.length === 0) return 0;
  try {
    await jobs.withdrawAll(jobIds, Date.now());
    return jobIds.length;
  } catch (error) {
    // For example, an account has begun to move.
    log("error", "nightly_failed", { part, database, reason: reasonOf(error) });
    return 0;
  }
}

/** Wakes a listed job's object; false if it has no such job: the list must then remove it. */
async function wake(platform: Platform, jobId: string): Promise<boolean> {
  try {
    return await platform.jobObject(jobId).wake();
  } catch (error) {
    log("error", "wake_failed", { jobId, reason: reasonOf(error) });
    return true;
  }
}
