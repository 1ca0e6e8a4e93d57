import { accessModeOf } from "../core/accounts/access.ts";
import { log, reasonOf } from "../core/log.ts";
import { CONNECTIONS, mapPool } from "../core/lib/pool.ts";
import type { Platform } from "../platform.ts";

/** What is left over comes first in the next run. */
const ACCOUNTS_A_RUN = 20;

/**
 * Cancels what has not begun of the jobs of accounts whose subscription has ended: nobody would be billed for it. What is being
 * processed is completed. An account stays due until all of its jobs have been reached.
 */
export async function endSubscriptions(platform: Platform, now: number): Promise<void> {
  for (const { accountId, plan, status, owes } of await platform.billing.ended(ACCOUNTS_A_RUN)) {
    const isPaid = accessModeOf(plan, status, owes === 1) === "paid";
    if (isPaid || (await cancelUnbegun(platform, accountId, now))) await platform.billing.noteEnd(accountId);
  }
}

/** Cancels what has not begun of an account's paid jobs. Returns whether all of them were reached. */
async function cancelUnbegun(platform: Platform, accountId: string, now: number): Promise<boolean> {
  const jobIds = await platform.oldJobs.paidUnderWay(accountId);
  const outcomes = await mapPool(jobIds, CONNECTIONS, async (jobId) => {
    try {
      await platform.jobObject(jobId).cancelUnbegun();
      return true;
    } catch (error) {
      log("warn", "subscription_end_delayed", { account: accountId, jobId, reason: reasonOf(error) });
      return false;
    }
  });
  const missed = outcomes.filter((isReached) => !isReached).length;
  log("info", "subscription_ended", {
    account: accountId,
    jobs: jobIds.length,
    missed,
    ms: Date.now() - now,
  });
  return missed === 0;
}
