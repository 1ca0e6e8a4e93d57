import { FREE_REFINEMENTS, filesToReserve, type ProposedJob } from "../rules/admission.ts";
import { ServiceError } from "../../shared/errors.ts";
import { mostMeteredUnits } from "../../billing/rules/credit.ts";
import { fundOf, type AccountUse } from "../../billing/rules/ledger.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import { trialOfferOf } from "../../feature-settings.ts";
import { hasChanged } from "../../shared/storage/preflight.ts";
import type { Listing } from "../store/jobs.ts";
import type { HeldKey } from "../../shared/api/idempotency.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";

type HoldKey = HeldKey<unknown>["hold"];

/**
 * Admits a job: its JobObject stores it (with an alarm that cleans up after an interruption), D1 lists it and reserves its units,
 * and the JobObject sends its first messages. A failure at any step leaves nothing behind.
 * @param job `stored` has the bucket's record of each of its uploads, in their order
 * @param refusalBy gives the reason for the refusal if D1 turns the job down
 * @param along further statements of the batch that lists the job
 * @returns the account's use with the job.
 * @throws ServiceError that of `refusalBy` for a job that lost a race, or enqueue_failed, also for a free refinement that
 * concurrent jobs have used up: a repeated request is charged; and as withdraw.
 */
export async function admitJob(
  platform: Platform,
  { job, access, units, stored }: ProposedJob & { readonly stored: readonly StoredUpload[] },
  refusalBy: (listing: Listing) => Promise<ServiceError | null>,
  holdKey: HoldKey,
  along: readonly D1PreparedStatement[],
): Promise<AccountUse> {
  const jobObject = platform.jobObject(job.jobId);
  await jobObject.prepare(job);
  let refusal = new ServiceError("enqueue_failed");
  try {
    const openElsewhere = job.lane === "trial" ? await platform.trialLane.openElsewhere() : 0;
    const terms = {
      maxActiveJobs: access.maxActiveJobs,
      units,
      fund: fundOf(access.accessMode),
      offer: trialOfferOf(platform.settings),
      maxTrialBacklog: platform.settings.TRIAL_MAX_BACKLOG - openElsewhere,
      maxUnitsPerDay: access.maxUnitsPerDay,
      maxTasksPerDay: access.maxTasksPerDay,
      files: filesToReserve(job),
      maxFilesPerDay: access.maxFilesPerDay,
      maxMeteredUnits: access.credit && mostMeteredUnits(access.credit),
      ...(job.type === "image" && job.free && { mostFreeRefinements: FREE_REFINEMENTS }),
    };
    const listing = await platform.jobs.insert(job, terms, stored, along);
    if (listing.listed && (await jobObject.accept())) return listing.use;
    if (!listing.listed) {
      const openTrialTasks = listing.openTrialTasks + openElsewhere;
      refusal = (await refusalBy({ ...listing, openTrialTasks })) ?? refusal;
    }
  } catch (error) {
    // If the account has changed meanwhile, the repeated request decides again.
    if (!hasChanged(error)) log("error", "accept_failed", { jobId: job.jobId, reason: reasonOf(error) });
  }
  await withdraw(platform, job.jobId, holdKey);
  throw refusal;
}

/**
 * Recovers an account's job whose request was interrupted: true if it is accepted now, or was and is deleted. Otherwise nothing
 * is left of it, and it may be admitted under the same id, unless it was listed before.
 * @throws as withdraw.
 */
export async function recoverJob(
  platform: Platform,
  { accountId, jobId }: { readonly accountId: string; readonly jobId: string },
  holdKey: HoldKey,
): Promise<boolean> {
  const jobObject = platform.jobObject(jobId);
  const acceptance = await platform.jobs.acceptance(jobId);
  if (acceptance === "listed" && (await jobObject.accept())) return true;
  // It was accepted, and has been deleted since.
  if (acceptance === "settled") return true;
  // It was accepted, and the list has lost it since: it still counts.
  if (acceptance === "missing" && (await jobObject.status(accountId)) !== null) return true;
  await withdraw(platform, jobId, holdKey);
  return false;
}

/**
 * Removes the job's row, its reserved tokens and its object. The ledger decides: an unreachable object learns from its alarm or
 * its next push that its reservation is void, and clears itself.
 * @throws ServiceError idempotency_in_progress if the job belongs to another run by now; any other error if the list may still
 * have the job.
 */
async function withdraw(platform: Platform, jobId: string, holdKey: HoldKey): Promise<void> {
  await holdKey();
  const [row, object] = await Promise.allSettled([
    platform.jobs.withdraw(jobId, Date.now()),
    platform.jobObject(jobId).withdraw(),
  ]);
  if (object.status === "rejected") {
    log("error", "withdraw_failed", { jobId, reason: reasonOf(object.reason) });
  }
  if (row.status === "rejected") {
    throw new Error(`${jobId} may still be listed: ${reasonOf(row.reason)}`);
  }
}
