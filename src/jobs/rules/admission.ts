import { READABLE_PICTURES } from "@segmentation/masks";
import type { CreateJobRequest } from "../contract/job.ts";
import { isoOf, type JobType } from "../../shared/api/primitives.ts";
import type { Access } from "../../billing/rules/access.ts";
import { dayOf, secondsToNextDay, usedOnDay } from "../../billing/rules/usage.ts";
import { creditOf, mostMeteredUnits } from "../../billing/rules/credit.ts";
import { ServiceError, TRY_AGAIN, type ErrorCode } from "../../shared/errors.ts";
import type { JobDefinition } from "./state.ts";
import { mostFilesOfTask } from "./task-outputs.ts";
import type { AccountUse } from "../../billing/rules/ledger.ts";
import { jobTypeOf, type StoredUpload } from "../../shared/bucket/media-type.ts";
import type { RecordedUpload, UploadLimits } from "../../uploads/rules/upload.ts";
import {
  trialAt,
  trialRefusal,
  type LanePace,
  type Trial,
  type TrialOffer,
} from "../../billing/rules/trial.ts";

/**
 * Every reason to refuse a new job, each as the error that the client receives, or null. createJob calls the functions in this
 * order. D1 repeats `accountRefusal` and `laneHasRoom` inside the transaction that lists the job (store/jobs.ts), so that
 * concurrent requests cannot exceed a limit together; a test checks that the two agree.
 */

/** The operator's settings for new jobs. */
export interface AdmissionTerms extends UploadLimits {
  readonly maxPrompts: number;
  /** Code points, as JSON Schema's maxLength counts. */
  readonly maxPromptLength: number;
  readonly trial: TrialOffer;
  /** Maximum number of open tasks of trial jobs: accepted and unfinished. */
  readonly maxTrialBacklog: number;
  readonly upgradeUrl: string;
}

/** A requested job, its account's access, and the maximum units that the job can use. */
export interface ProposedJob {
  readonly job: JobDefinition;
  readonly access: Access;
  readonly units: number;
}

/** Number of free jobs that only refine masks of a picture; uploads are kept no longer than the retention period. */
export const FREE_REFINEMENTS = 20;

/** Returns the maximum number of files that a job can write, reserved of the account's day at its acceptance. */
export const filesToReserve = (job: JobDefinition): number => job.taskIds.length * mostFilesOfTask(job);

const codePoints = (text: string): number => Array.from(text).length;

/** Refuses a request regardless of its account: duplicate_task, too_many_prompts, prompt_too_long. */
export function requestRefusal(
  terms: AdmissionTerms,
  { prompts = [], tasks }: CreateJobRequest,
): ServiceError | null {
  if (new Set(tasks).size < tasks.length) return new ServiceError("duplicate_task");
  if (prompts.length > terms.maxPrompts) {
    return new ServiceError(
      "too_many_prompts",
      `The job has more than ${terms.maxPrompts} prompts. Send fewer.`,
    );
  }
  if (prompts.some((prompt) => codePoints(prompt) > terms.maxPromptLength)) {
    return new ServiceError(
      "prompt_too_long",
      `A prompt is longer than ${terms.maxPromptLength} characters. Shorten it.`,
    );
  }
  return null;
}

/**
 * Refuses every job of a blocked account, or of a trial account without a required verified address: payment_required,
 * email_unverified.
 */
export function accessRefusal(
  { upgradeUrl }: AdmissionTerms,
  { accessMode, lacksVerifiedEmail }: Access,
): ServiceError | null {
  if (accessMode === "blocked") return new ServiceError("payment_required", undefined, { upgradeUrl });
  return lacksVerifiedEmail ? new ServiceError("email_unverified", undefined, { upgradeUrl }) : null;
}

const trialOf = ({ trial }: AdmissionTerms, { job }: ProposedJob, use: AccountUse): Trial =>
  trialAt(trial, use.trial, job.createdAt);

/** Returns error 402 for a trial account, with the rest of its trial. */
function trialError(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  use: AccountUse,
  code: ErrorCode,
  message?: string,
): ServiceError {
  const { remainingTokens, expiresAt } = trialOf(terms, proposed, use);
  return new ServiceError(code, message, {
    remainingTokens,
    requestedTokens: proposed.units,
    ...(expiresAt !== null && { expiresAt: isoOf(expiresAt) }),
    upgradeUrl: terms.upgradeUrl,
  });
}

/** Refuses a trial account by its request, then by the rest of its trial. */
function trialJobRefusal(terms: AdmissionTerms, proposed: ProposedJob, use: AccountUse): ServiceError | null {
  const { job, access, units } = proposed;
  const refused = (code: ErrorCode) => trialError(terms, proposed, use, code);
  if (job.type === "video" && !access.videoAllowed) return refused("trial_video_unsupported");
  if (job.taskIds.length > access.maxImageTasksPerJob) return refused("trial_limit_exceeded");
  const spent = trialRefusal(trialOf(terms, proposed, use), units);
  return spent === null ? null : refused(spent);
}

/** Refuses a job that would exceed the account's daily limit of units, tasks or files: daily_limit_reached. */
function dailyRefusal({ job, access, units }: ProposedJob, { daily }: AccountUse): ServiceError | null {
  const { maxUnitsPerDay, maxTasksPerDay, maxFilesPerDay } = access;
  const used = usedOnDay(daily, job.createdAt);
  if (maxUnitsPerDay !== null && units > maxUnitsPerDay - used.units) {
    const needed = `Units that the job may use: ${units}. The account's limit per day (UTC) is ${maxUnitsPerDay}`;
    return dayIsUsed(needed, units, maxUnitsPerDay, used.units, job.createdAt);
  }
  const tasks = job.taskIds.length;
  if (tasks > maxTasksPerDay - used.tasks) {
    const needed = `Tasks of the job: ${tasks}. The account's limit per day (UTC), failed ones included, is ${maxTasksPerDay}`;
    return dayIsUsed(needed, tasks, maxTasksPerDay, used.tasks, job.createdAt);
  }
  const files = filesToReserve(job);
  if (files <= maxFilesPerDay - used.files) return null;
  const needed = `Files that the job may write: ${files}; fewer prompts and formats need fewer. The account's limit per day (UTC) is ${maxFilesPerDay}, and what a job does not write is free again at its end`;
  return dayIsUsed(needed, files, maxFilesPerDay, used.files, job.createdAt);
}

/** Refuses a job with which the account would owe more units than its credit: payment_required. */
function creditRefusal(
  { upgradeUrl }: AdmissionTerms,
  { access: { credit }, units }: ProposedJob,
  { meteredUnits }: AccountUse,
): ServiceError | null {
  if (credit === null || meteredUnits + units <= mostMeteredUnits(credit)) return null;
  const most = creditOf(credit);
  const left = Math.max(0, mostMeteredUnits(credit) - meteredUnits);
  return new ServiceError(
    "payment_required",
    `Units that the job may use: ${units}. The account may have used ${most} units that are not paid yet; left: ${left}. Pay the open invoice, or ask the service's operator for a higher credit. The credit grows with each paid invoice.`,
    { upgradeUrl },
  );
}

/** Returns the refusal of a job that exceeds the rest of the day; without a Retry-After if it exceeds a whole day's limit. */
function dayIsUsed(needed: string, asked: number, limit: number, used: number, now: number): ServiceError {
  if (asked > limit) {
    return new ServiceError(
      "daily_limit_reached",
      `${needed}. Ask for fewer pictures or frames, or ask the service's operator for a higher limit.`,
    );
  }
  return new ServiceError(
    "daily_limit_reached",
    `${needed}; left until 00:00 UTC: ${Math.max(0, limit - used)}. ${TRY_AGAIN}, or ask the service's operator for a higher limit.`,
    { retryAfterSeconds: secondsToNextDay(now) },
  );
}

/**
 * Refuses an account that has too many active jobs or too little left: one of the trial's errors, daily_limit_reached,
 * payment_required, active_job_exists, too_many_active_jobs.
 */
export function accountRefusal(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  use: AccountUse,
): ServiceError | null {
  const { accessMode, maxActiveJobs } = proposed.access;
  const isTrial = accessMode === "trial";
  const ofTrial = isTrial ? trialJobRefusal(terms, proposed, use) : null;
  const refusal = ofTrial ?? dailyRefusal(proposed, use) ?? creditRefusal(terms, proposed, use);
  if (refusal !== null) return refusal;
  if (use.activeJobs < maxActiveJobs) return null;
  if (!isTrial) return new ServiceError("too_many_active_jobs");
  const { activeJobId } = use;
  return new ServiceError("active_job_exists", undefined, activeJobId === null ? {} : { activeJobId });
}

/** Returns how many of the trial lane's open tasks must end before the job fits; an empty lane takes every job. */
function tasksInTheWay(
  { maxTrialBacklog }: AdmissionTerms,
  { job, access }: ProposedJob,
  openTrialTasks: number,
): number {
  if (access.accessMode !== "trial") return 0;
  const above = openTrialTasks + job.taskIds.length - maxTrialBacklog;
  return Math.max(0, Math.min(openTrialTasks, above));
}

/** Returns true if the job fits into the trial lane; a job of another lane always does. */
export const laneHasRoom = (terms: AdmissionTerms, proposed: ProposedJob, openTrialTasks: number): boolean =>
  tasksInTheWay(terms, proposed, openTrialTasks) === 0;

/** The longest wait that the service asks of clients. */
const LONGEST_WAIT_SECONDS = 600;

/**
 * Returns the refusal of a job that does not fit into the trial lane: trial_queue_full, with the wait at the lane's pace. If no
 * task has ended yet, assumes that one will end now.
 */
export function trialQueueFull(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  openTrialTasks: number,
  { endedTasks, busyMs }: LanePace,
): ServiceError {
  const secondsPerTask = busyMs / 1_000 / Math.max(1, endedTasks);
  const wait = Math.ceil(tasksInTheWay(terms, proposed, openTrialTasks) * secondsPerTask);
  return new ServiceError("trial_queue_full", undefined, {
    retryAfterSeconds: Math.min(LONGEST_WAIT_SECONDS, Math.max(1, wait)),
    upgradeUrl: terms.upgradeUrl,
  });
}

/**
 * Refuses a job before its uploads are inspected, if the account's refused jobs have cost as many inspections today as it may
 * have tasks: daily_limit_reached.
 */
export function inspectionRefusal(
  { job, access }: ProposedJob,
  { refusedInspections: { day, inspections } }: AccountUse,
): ServiceError | null {
  if (day < dayOf(job.createdAt) || inspections < access.maxTasksPerDay) return null;
  return new ServiceError(
    "daily_limit_reached",
    `Too many jobs of this account were refused today because of their uploads. Upload every file before you create its job. ${TRY_AGAIN}.`,
    { retryAfterSeconds: secondsToNextDay(job.createdAt) },
  );
}

const mismatch = (taskId: string, type: JobType): ServiceError =>
  new ServiceError(
    "task_type_mismatch",
    `${taskId} is not ${type === "image" ? "a picture" : "a video"}, as a job of type ${type} requires.`,
  );

/** Refuses uploads by their records: task_not_owned, task_type_mismatch. `owned` are the account's uploads. */
export function ownershipRefusal(
  { type, taskIds }: JobDefinition,
  owned: readonly RecordedUpload[],
): ServiceError | null {
  if (owned.length < taskIds.length) return new ServiceError("task_not_owned");
  const other = owned.find(({ contentType }) => (jobTypeOf(contentType) ?? type) !== type);
  return other === undefined ? null : mismatch(other.taskId, type);
}

/**
 * Refuses an upload by its bytes: upload_incomplete (null: there are none), upload_too_large, task_type_mismatch. Bytes of
 * neither type pass: the inference service reports the problem for that task alone.
 */
export function uploadRefusal(
  { maxBytes }: AdmissionTerms,
  { type }: JobDefinition,
  taskId: string,
  upload: StoredUpload | null,
): ServiceError | null {
  if (upload === null) {
    return new ServiceError(
      "upload_incomplete",
      `The file of ${taskId} has not been uploaded. PUT it to its uploadUrl, or complete its parts, then create the job again. If the URL has expired, presign again and use the new taskId.`,
    );
  }
  if (upload.size > maxBytes[type]) {
    return new ServiceError(
      "upload_too_large",
      `The file of ${taskId} is larger than ${maxBytes[type] / 1_000_000} MB. Upload a smaller one.`,
    );
  }
  return (upload.media?.type ?? type) === type ? null : mismatch(taskId, type);
}

/** The formats that the trial accepts, by the bytes and not by the name. */
const TRIAL_FORMATS: ReadonlySet<string | undefined> = new Set(["jpeg", "png", "webp"]);

/** Refuses a trial account a picture that is not a JPEG, PNG or WebP: trial_format_unsupported. */
export function trialFormatRefusal(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  use: AccountUse,
  uploads: readonly StoredUpload[],
): ServiceError | null {
  if (proposed.access.accessMode !== "trial") return null;
  const odd = uploads.findIndex(({ media }) => !TRIAL_FORMATS.has(media?.format));
  if (odd === -1) return null;
  // A paid account can't use the others, either.
  const isRead = READABLE_PICTURES.has(`image/${uploads[odd]?.media?.format}`);
  const advice = isRead ? "Convert it, or upgrade" : "Convert it";
  const message = `${proposed.job.taskIds[odd]} is not a JPEG, PNG or WebP picture, as the free trial requires. ${advice}.`;
  return trialError(terms, proposed, use, "trial_format_unsupported", message);
}
