import { log, reasonOf } from "../core/log.ts";
import type { Platform } from "../platform.ts";

/**
 * Lets the list and the ledger catch up with a job under way, as far as that can be done now: what they have is true, and at
 * worst behind. A job that its JobObject knows nothing of was cut off between the two, and is struck from the list: it would
 * count as under way for good.
 */
export async function catchUp(platform: Platform, jobId: string): Promise<void> {
  try {
    if (await platform.jobObject(jobId).sync()) return;
    await platform.jobs.withdraw(jobId, Date.now());
  } catch (error) {
    log("warn", "catch_up_failed", { jobId, reason: reasonOf(error) });
  }
}
