import { ServiceError } from "../core/errors.ts";
import { fundOf } from "../core/ledger.ts";
import { log, reasonOf } from "../core/log.ts";
import { trialOfferOf } from "../settings.ts";
import type { AccountUse } from "../stores/ledger.ts";
import type { Platform } from "../stores/platform.ts";
import { refusalOf, type ProposedJob } from "./check-access.ts";
import type { HoldKey } from "./idempotency.ts";

/**
 * Lets a job in. It is first written down by its JobObject (with an alarm that clears up should all else be cut off),
 * then listed and its units reserved, then its first messages are sent: a failure at any step leaves nothing behind.
 * @returns how the account stands with it.
 * @throws ServiceError as refusalOf has it, for who lost a race, or enqueue_failed; and as withdraw.
 */
export async function admitJob(
  platform: Platform,
  proposed: ProposedJob,
  holdKey: HoldKey,
): Promise<AccountUse> {
  const { job, access, units } = proposed;
  const jobObject = platform.jobObject(job.jobId);
  await jobObject.prepare(job);
  let refusal = new ServiceError("enqueue_failed");
  try {
    const { listed, use } = await platform.jobs.insert(job, {
      maxActiveJobs: access.maxActiveJobs,
      units,
      fund: fundOf(access.mode),
      offer: trialOfferOf(platform.settings),
    });
    if (listed && (await jobObject.accept())) return use;
    if (!listed) refusal = refusalOf(platform.settings, proposed, use) ?? refusal;
  } catch (error) {
    log("error", "accept_failed", { jobId: job.jobId, reason: reasonOf(error) });
  }
  await withdraw(platform, job.jobId, holdKey);
  throw refusal;
}

/**
 * What became of a job whose request was cut off: true where it is accepted now. Otherwise nothing is left of it, and it
 * may be let in under the same id, but for one that was listed before: that one is gone for good.
 * @throws as withdraw.
 */
export async function recoverJob(platform: Platform, jobId: string, holdKey: HoldKey): Promise<boolean> {
  if ((await platform.jobs.exists(jobId)) && (await platform.jobObject(jobId).accept())) return true;
  await withdraw(platform, jobId, holdKey);
  return false;
}

/**
 * Whatever came in between, the watchdog included: neither row, nor tokens, nor the object stay. The list decides: an
 * object that can't be told now finds that it is not listed, by its alarm or with its next push, and goes.
 * @throws ServiceError idempotency_in_progress where the job is another run's by now; any other error where it is not known
 * whether the list still has the job.
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
