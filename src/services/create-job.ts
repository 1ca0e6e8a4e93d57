import type { AcceptedJob, CreateJobRequest } from "../contract/job.ts";
import { accessOf, laneOf, type Access } from "../core/access.ts";
import { ServiceError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { JobDefinition } from "../core/job/state.ts";
import { log, reasonOf } from "../core/log.ts";
import type { Settings } from "../settings.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../stores/platform.ts";
import type { JobPreconditions } from "../stores/uploads.ts";
import { checkUploads } from "./check-uploads.ts";

/**
 * createJob. The job is first written down by its JobObject (with an alarm that clears up should all else be cut
 * off), then listed in the database, then its first messages are sent: a failure at any step leaves nothing behind.
 * @throws ServiceError as the specification's 400, 402, 403, 409 and 502.
 */
export async function createJob(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
): Promise<AcceptedJob> {
  checkLimits(platform.settings, request);
  const access = accessOf(account.plan, platform.settings.MAX_ACTIVE_JOBS);
  checkAccess(access, request);
  const { uploads, activeJobs, activeJobId } = await preconditions(platform, account, request.tasks, access);
  await checkUploads(platform, account.accountId, request.type, request.tasks, uploads);
  if (activeJobs >= access.maxActiveJobs) throw tooManyActive(access, activeJobId);

  const job = define(account, request);
  await enter(platform, job, access);
  return { jobId: job.jobId, type: job.type, totalItems: job.taskIds.length };
}

async function enter(platform: Platform, job: JobDefinition, access: Access): Promise<void> {
  const jobObject = platform.jobObject(job.jobId);
  await jobObject.prepare(job);
  let listed = false;
  try {
    listed = await platform.jobs.insert(job, access.maxActiveJobs);
    if (listed && (await jobObject.accept())) return;
  } catch (error) {
    log("error", "accept_failed", { jobId: job.jobId, reason: reasonOf(error) });
    listed = true;
  }
  // Whatever came in between, the watchdog included: neither the row nor the object stays.
  try {
    await jobObject.withdraw();
    await platform.jobs.delete(job.jobId);
  } catch (error) {
    // The object's alarm clears up, as soon as it can.
    log("error", "withdraw_failed", { jobId: job.jobId, reason: reasonOf(error) });
  }
  if (listed) throw new ServiceError("enqueue_failed");
  const { activeJobId } = await platform.uploads.preconditions(job.accountId, job.taskIds);
  throw tooManyActive(access, activeJobId);
}

/** What the account may start from; read again where only the list's copy of a job may stand in the way. */
async function preconditions(
  platform: Platform,
  { accountId }: Account,
  tasks: readonly string[],
  access: Access,
): Promise<JobPreconditions> {
  const found = await platform.uploads.preconditions(accountId, tasks);
  if (found.activeJobId === null || found.activeJobs < access.maxActiveJobs) return found;
  await platform.jobObject(found.activeJobId).sync();
  return platform.uploads.preconditions(accountId, tasks);
}

function checkLimits(settings: Settings, { prompts, tasks }: CreateJobRequest): void {
  if (new Set(tasks).size < tasks.length) throw new ServiceError("duplicate_task");
  if (prompts.length > settings.MAX_PROMPTS) {
    throw new ServiceError("too_many_prompts", `A job takes at most ${settings.MAX_PROMPTS} prompts.`);
  }
  if (prompts.some((prompt) => prompt.length > settings.MAX_PROMPT_LENGTH)) {
    throw new ServiceError(
      "prompt_too_long",
      `A prompt has at most ${settings.MAX_PROMPT_LENGTH} characters.`,
    );
  }
}

function checkAccess(access: Access, { tasks }: CreateJobRequest): void {
  if (!access.canCreateJobs) throw new ServiceError("payment_required");
  if (tasks.length > access.maxImageTasksPerJob) throw new ServiceError("trial_limit_exceeded");
}

function tooManyActive(access: Access, activeJobId: string | null): ServiceError {
  return access.maxActiveJobs === 1
    ? new ServiceError("active_job_exists", undefined, activeJobId === null ? {} : { activeJobId })
    : new ServiceError("too_many_active_jobs");
}

function define(account: Account, request: CreateJobRequest): JobDefinition {
  const mode = request.tasks.length === 1 ? "single" : "batch";
  return {
    jobId: newId("job"),
    accountId: account.accountId,
    type: request.type,
    mode,
    lane: laneOf(account.plan, mode),
    prompts: request.prompts,
    threshold: request.threshold,
    maskThreshold: request.maskThreshold,
    generatePreview: request.generatePreview,
    taskIds: request.tasks,
    createdAt: Date.now(),
  };
}
