import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";

/**
 * Brings the list and the ledger up to date with a job in progress, as far as possible now: what they have is true, but may
 * be behind. If the JobObject has no such job, its creation was interrupted between the two; the job is struck from the
 * list, where it would count as in progress for ever.
 */
export async function catchUp(platform: Platform, jobId: string): Promise<void> {
  try {
    if (await platform.jobObject(jobId).sync()) return;
    await platform.jobs.withdraw(jobId, Date.now());
  } catch (error) {
    log("warn", "catch_up_failed", { jobId, reason: reasonOf(error) });
  }
}
