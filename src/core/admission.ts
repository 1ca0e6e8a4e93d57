import type { CreateJobRequest } from "../contract/job.ts";
import type { JobType } from "../contract/primitives.ts";
import type { Access } from "./access.ts";
import { ServiceError, type ErrorCode } from "./errors.ts";
import type { JobDefinition } from "./job/state.ts";
import type { AccountUse } from "./ledger.ts";
import { jobTypeOf, sniffMedia } from "./media-type.ts";
import { trialAt, trialRefusal, type Trial, type TrialOffer } from "./trial.ts";

/**
 * Who may have which job: every reason to refuse a new job, each as the error that the client reads, or null. The
 * functions stand in the order in which createJob asks them. D1 repeats `accountRefusal` inside the transaction that
 * lists the job (stores/jobs.ts), so that of jobs that come at once no more get in; a test holds the two together.
 */

/** What the operator's settings say about new jobs. */
export interface AdmissionTerms {
  readonly maxPrompts: number;
  /** Code points, as JSON Schema's maxLength counts. */
  readonly maxPromptLength: number;
  readonly maxBytes: Readonly<Record<JobType, number>>;
  readonly trial: TrialOffer;
  /** Tasks that may wait in the trial queue. */
  readonly maxTrialBacklog: number;
  readonly upgradeUrl: string;
}

/** A job that an account asks for, the access it asks with, and the most units that the job can use. */
export interface ProposedJob {
  readonly job: JobDefinition;
  readonly access: Access;
  readonly units: number;
}

/** A presigned upload, as it is on record. */
export interface RecordedUpload {
  readonly taskId: string;
  readonly contentType: string;
}

/** A stored upload: its size in bytes and its first bytes (SNIFF_BYTES of them, if there are as many). */
export interface StoredUpload {
  readonly size: number;
  readonly head: Uint8Array;
}

const codePoints = (text: string): number => Array.from(text).length;

/** Refuses a request by itself: duplicate_task, too_many_prompts, prompt_too_long. */
export function requestRefusal(
  terms: AdmissionTerms,
  { prompts, tasks }: CreateJobRequest,
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

/** Refuses every job of a blocked account: payment_required. */
export const accessRefusal = ({ upgradeUrl }: AdmissionTerms, { accessMode }: Access): ServiceError | null =>
  accessMode === "blocked" ? new ServiceError("payment_required", undefined, { upgradeUrl }) : null;

const trialOf = ({ trial }: AdmissionTerms, { job }: ProposedJob, use: AccountUse): Trial =>
  trialAt(trial, use.trial, job.createdAt);

/** Error 402 of a trial account, with what is left of its trial. */
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
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    upgradeUrl: terms.upgradeUrl,
  });
}

/** Refuses a trial account by what it asks for, then by what it has left. */
function trialJobRefusal(terms: AdmissionTerms, proposed: ProposedJob, use: AccountUse): ServiceError | null {
  const { job, access, units } = proposed;
  const refused = (code: ErrorCode) => trialError(terms, proposed, use, code);
  if (job.type === "video" && !access.videoAllowed) return refused("trial_video_unsupported");
  if (job.taskIds.length > access.maxImageTasksPerJob) return refused("trial_limit_exceeded");
  const spent = trialRefusal(trialOf(terms, proposed, use), units);
  return spent === null ? null : refused(spent);
}

/**
 * Refuses an account that has too much under way or too little left: one of the trial's errors, active_job_exists,
 * too_many_active_jobs.
 */
export function accountRefusal(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  use: AccountUse,
): ServiceError | null {
  const { accessMode, maxActiveJobs } = proposed.access;
  const isTrial = accessMode === "trial";
  const refusal = isTrial ? trialJobRefusal(terms, proposed, use) : null;
  if (refusal !== null) return refusal;
  if (use.activeJobs < maxActiveJobs) return null;
  if (!isTrial) return new ServiceError("too_many_active_jobs");
  const { activeJobId } = use;
  return new ServiceError("active_job_exists", undefined, activeJobId === null ? {} : { activeJobId });
}

/** The longest wait that a client is asked for. */
const LONGEST_WAIT_SECONDS = 600;

/**
 * Refuses a trial job while more tasks wait in the trial queue than are allowed: trial_queue_full, and when to try again.
 * A task takes about a second when the inference service does nothing else, so the wait is a second per task too many.
 */
export function backlogRefusal(
  { maxTrialBacklog, upgradeUrl }: AdmissionTerms,
  backlog: number,
): ServiceError | null {
  if (backlog <= maxTrialBacklog) return null;
  return new ServiceError("trial_queue_full", undefined, {
    retryAfterSeconds: Math.min(LONGEST_WAIT_SECONDS, backlog - maxTrialBacklog),
    upgradeUrl,
  });
}

const mismatch = (taskId: string, type: JobType): ServiceError =>
  new ServiceError(
    "task_type_mismatch",
    `${taskId} is not ${type === "image" ? "a picture" : "a video"}, as a job of type ${type} requires.`,
  );

/** Refuses uploads by what is on record of them: task_not_owned, task_type_mismatch. `owned` are the account's own. */
export function ownershipRefusal(
  { type, taskIds }: JobDefinition,
  owned: readonly RecordedUpload[],
): ServiceError | null {
  if (owned.length < taskIds.length) return new ServiceError("task_not_owned");
  const other = owned.find(({ contentType }) => (jobTypeOf(contentType) ?? type) !== type);
  return other === undefined ? null : mismatch(other.taskId, type);
}

/**
 * Refuses an upload by its bytes: upload_incomplete (null is none at all), upload_too_large, task_type_mismatch. Bytes
 * of neither type pass: the inference service tells that task what is wrong with them, and no other task suffers.
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
      `The file of ${taskId} has not been uploaded. PUT it to its uploadUrl, then create the job again.`,
    );
  }
  if (upload.size > maxBytes[type]) {
    return new ServiceError(
      "upload_too_large",
      `The file of ${taskId} is larger than ${maxBytes[type]} bytes. Upload a smaller one.`,
    );
  }
  return (sniffMedia(upload.head)?.type ?? type) === type ? null : mismatch(taskId, type);
}

/** What a trial takes, by the bytes and not by the name. */
const TRIAL_FORMATS: ReadonlySet<string | undefined> = new Set(["jpeg", "png", "webp"]);

/** Refuses a trial account a picture of another format than JPEG, PNG or WebP: trial_format_unsupported. */
export function trialFormatRefusal(
  terms: AdmissionTerms,
  proposed: ProposedJob,
  use: AccountUse,
  uploads: readonly StoredUpload[],
): ServiceError | null {
  if (proposed.access.accessMode !== "trial") return null;
  const odd = uploads.findIndex(({ head }) => !TRIAL_FORMATS.has(sniffMedia(head)?.format));
  if (odd === -1) return null;
  const message = `${proposed.job.taskIds[odd]} is not a JPEG, PNG or WebP picture, as the free trial requires. Convert it, or upgrade.`;
  return trialError(terms, proposed, use, "trial_format_unsupported", message);
}
