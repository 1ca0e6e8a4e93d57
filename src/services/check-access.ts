import type { Access } from "../core/access.ts";
import { ServiceError, type ErrorCode } from "../core/errors.ts";
import type { JobDefinition } from "../core/job/state.ts";
import { log, reasonOf } from "../core/log.ts";
import { secondsUntilRoom } from "../core/trial-backlog.ts";
import { trialAt, trialRefusal, type Trial } from "../core/trial.ts";
import { trialOfferOf, upgradeUrlOf, type Settings } from "../settings.ts";
import type { AccountUse } from "../stores/ledger.ts";
import type { Platform } from "../stores/platform.ts";
import type { JobPreconditions } from "../stores/uploads.ts";
import { catchUp } from "./catch-up.ts";

/** A job that an account asks for, and on which terms. */
export interface ProposedJob {
  readonly job: JobDefinition;
  readonly access: Access;
  /** The most that it can use. */
  readonly units: number;
}

/** Error 402 of a trial account, with what it has left. */
export function trialError(
  settings: Settings,
  { job, units }: ProposedJob,
  use: AccountUse,
  code: ErrorCode,
  message?: string,
): ServiceError {
  const { remainingTokens, expiresAt } = trialAt(trialOfferOf(settings), use.trial, job.createdAt);
  return new ServiceError(code, message, {
    remainingTokens,
    requestedTokens: units,
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    upgradeUrl: upgradeUrlOf(settings),
  });
}

/** What a trial account is refused: by what it asks for, then by what it has left. */
function trialRefusalOf({ job, access, units }: ProposedJob, trial: Trial): ErrorCode | null {
  if (job.type === "video" && !access.videoAllowed) return "trial_video_unsupported";
  if (job.taskIds.length > access.maxImageTasksPerJob) return "trial_limit_exceeded";
  return trialRefusal(trial, units);
}

/** Why an account that stands like this may not have the job; null where it may. */
export function refusalOf(settings: Settings, proposed: ProposedJob, use: AccountUse): ServiceError | null {
  const { job, access } = proposed;
  const isTrial = access.mode === "trial";
  const code = isTrial
    ? trialRefusalOf(proposed, trialAt(trialOfferOf(settings), use.trial, job.createdAt))
    : null;
  if (code !== null) return trialError(settings, proposed, use, code);
  if (use.activeJobs < access.maxActiveJobs) return null;
  if (!isTrial) return new ServiceError("too_many_active_jobs");
  const { activeJobId } = use;
  return new ServiceError("active_job_exists", undefined, activeJobId === null ? {} : { activeJobId });
}

/** The trial queue's length; one that can't be asked refuses nobody: whether it takes the job will show. */
async function trialBacklog(platform: Platform): Promise<number> {
  try {
    return await platform.queues.trialBacklog();
  } catch (error) {
    log("warn", "backlog_unknown", { reason: reasonOf(error) });
    return 0;
  }
}

/** How an account stands; read again where only the list's copy of a job may stand in the way. */
async function preconditions(platform: Platform, proposed: ProposedJob): Promise<JobPreconditions> {
  const { accountId, taskIds } = proposed.job;
  const found = await platform.uploads.preconditions(accountId, taskIds);
  const { activeJobId } = found.use;
  if (activeJobId === null || refusalOf(platform.settings, proposed, found.use) === null) return found;
  await catchUp(platform, activeJobId);
  return platform.uploads.preconditions(accountId, taskIds);
}

/**
 * Whether the account may have the job now, and what its uploads are: one read for most.
 * @throws ServiceError payment_required, one of the trial's, active_job_exists or too_many_active_jobs, trial_queue_full.
 */
export async function checkAccess(platform: Platform, proposed: ProposedJob): Promise<JobPreconditions> {
  const { settings } = platform;
  const { mode } = proposed.access;
  if (mode === "blocked") {
    throw new ServiceError("payment_required", undefined, { upgradeUrl: upgradeUrlOf(settings) });
  }
  const [found, backlog] = await Promise.all([
    preconditions(platform, proposed),
    mode === "trial" ? trialBacklog(platform) : 0,
  ]);
  const refusal = refusalOf(settings, proposed, found.use);
  if (refusal !== null) throw refusal;
  if (backlog > settings.TRIAL_MAX_BACKLOG) {
    const retryAfterSeconds = secondsUntilRoom(backlog, settings.TRIAL_MAX_BACKLOG);
    throw new ServiceError("trial_queue_full", undefined, {
      retryAfterSeconds,
      upgradeUrl: upgradeUrlOf(settings),
    });
  }
  return found;
}
