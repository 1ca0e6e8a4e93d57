import type { ProposedJob } from "../core/admission.ts";
import { ServiceError } from "../core/errors.ts";
import { fundOf, type AccountUse } from "../core/ledger.ts";
import { log, reasonOf } from "../core/log.ts";
import type { Platform } from "../platform.ts";
import { trialOfferOf } from "../settings.ts";
import type { HoldKey } from "./idempotency.ts";

/**
 * Lets a job in: its JobObject writes it down (with an alarm that clears up if all else is cut off), D1 lists it and
 * reserves its units, and the JobObject sends its first messages. A failure at any step leaves nothing behind.
 * @param refusalBy says why an account with this use may not have the job, if D1 turns it down
 * @returns the account's use with the job.
 * @throws ServiceError that of `refusalBy` for a job that lost a race, or enqueue_failed; and as withdraw.
 */
export async function admitJob(
  platform: Platform,
  { job, access, units }: ProposedJob,
  refusalBy: (use: AccountUse) => ServiceError | null,
  holdKey: HoldKey,
): Promise<AccountUse> {
  const jobObject = platform.jobObject(job.jobId);
  await jobObject.prepare(job);
  let refusal = new ServiceError("enqueue_failed");
  try {
    const { listed, use } = await platform.jobs.insert(job, {
      maxActiveJobs: access.maxActiveJobs,
      units,
      fund: fundOf(access.accessMode),
      offer: trialOfferOf(platform.settings),
    });
    if (listed && (await jobObject.accept())) return use;
    if (!listed) refusal = refusalBy(use) ?? refusal;
  } catch (error) {
    log("error", "accept_failed", { jobId: job.jobId, reason: reasonOf(error) });
  }
  await withdraw(platform, job.jobId, holdKey);
  throw refusal;
}

/**
 * Finds out what became of a job whose request was cut off: true if it is accepted now. Otherwise nothing is left of it,
 * and it may be let in under the same id, unless it was listed before: then it is gone for good.
 * @throws as withdraw.
 */
export async function recoverJob(platform: Platform, jobId: string, holdKey: HoldKey): Promise<boolean> {
  if ((await platform.jobs.exists(jobId)) && (await platform.jobObject(jobId).accept())) return true;
  await withdraw(platform, jobId, holdKey);
  return false;
}

/**
 * Removes the job's row, its reserved tokens and its object, whatever came in between. The list decides: an object that
 * can't be told now finds out by its alarm or with its next push that it is not listed, and goes.
 * @throws ServiceError idempotency_in_progress if the job belongs to another run by now; any other error if it is not
 * known whether the list still has the job.
 */
async function withdraw(platform: Platform, jobId: string, holdKey: HoldKey): Promise<void> {
  await holdKey();
  const [struck, told] = await Promise.allSettled([
    platform.jobs.withdraw(jobId, Date.now()),
    platform.jobObject(jobId).withdraw(),
  ]);
  if (told.status === "rejected") {
    log("error", "withdraw_failed", { jobId, reason: reasonOf(told.reason) });
  }
  if (struck.status === "rejected") {
    throw new Error(`${jobId} may still be listed: ${reasonOf(struck.reason)}`);
  }
}
