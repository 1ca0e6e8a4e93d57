import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";

/**
 * Updates the list and the ledger with a job in progress as far as possible: their data is true, but may lag. If the JobObject
 * has no such job, its creation was interrupted: removes the job from the list, where it would count as in progress forever.
 */
export async function catchUp(platform: Platform, jobId: string): Promise<void> {
  try {
    if (await platform.jobObject(jobId).sync()) return;
    await platform.jobs.withdraw(jobId, Date.now());
  } catch (error) {
    log("warn", "catch_up_failed", { jobId, reason: reasonOf(error) });
  }
}
