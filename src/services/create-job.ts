import type { AcceptedJob, CreateJobRequest } from "../contract/job.ts";
import type { ProcessingMode } from "../contract/primitives.ts";
import { accessOf, laneOf } from "../core/access.ts";
import { ServiceError } from "../core/errors.ts";
import type { JobDefinition } from "../core/job/state.ts";
import { unitsToReserve } from "../core/ledger.ts";
import { trialAt } from "../core/trial.ts";
import { accessLimitsOf, trialOfferOf, type Settings } from "../settings.ts";
import type { Account } from "../stores/accounts.ts";
import type { AccountUse } from "../stores/ledger.ts";
import type { Platform } from "../stores/platform.ts";
import { admitJob } from "./admit-job.ts";
import { checkAccess, trialError, type ProposedJob } from "./check-access.ts";
import { checkUploads } from "./check-uploads.ts";
import type { HoldKey } from "./idempotency.ts";

/** By their bytes: a trial account's pictures. */
const TRIAL_FORMATS: ReadonlySet<string | null> = new Set(["jpeg", "png", "webp"]);

/**
 * createJob, under an id that was chosen for it: the request by itself, the account's access, its uploads, and the job is
 * let in. `holdKey` is of the request's Idempotency-Key.
 * @throws ServiceError as the specification's 400, 402, 403, 409, 502 and 503, which leave nothing behind.
 */
export async function createJob(
  platform: Platform,
  account: Account,
  request: CreateJobRequest,
  jobId: string,
  holdKey: HoldKey,
): Promise<AcceptedJob> {
  const { settings } = platform;
  checkLimits(settings, request);
  const access = accessOf(account.mode, accessLimitsOf(settings));
  const job = define(account, request, jobId);
  const proposed: ProposedJob = { job, access, units: unitsToReserve(job, settings.MAX_VIDEO_FRAMES) };
  const { uploads, use } = await checkAccess(platform, proposed);
  const media = await checkUploads(platform, job, uploads);
  const odd = media.find(({ format }) => !TRIAL_FORMATS.has(format));
  if (access.mode === "trial" && odd !== undefined) {
    const message = `${odd.taskId} is no JPEG, PNG or WebP picture, which the free trial takes. Convert it, or upgrade.`;
    throw trialError(settings, proposed, use, "trial_format_unsupported", message);
  }
  return acceptedJob(settings, account, request, jobId, await admitJob(platform, proposed, holdKey));
}

/** createJob's answer; `use` is how the account stands with the job. */
export function acceptedJob(
  settings: Settings,
  account: Account,
  { type, tasks }: CreateJobRequest,
  jobId: string,
  use: AccountUse,
): AcceptedJob {
  const accepted = { jobId, type, totalItems: tasks.length };
  if (account.mode !== "trial") return accepted;
  const { remainingTokens, expiresAt } = trialAt(trialOfferOf(settings), use.trial, Date.now());
  if (expiresAt === null) return accepted;
  return { ...accepted, trial: { remainingTokens, expiresAt: new Date(expiresAt).toISOString() } };
}

/** Code points, as the contract's own lengths are counted (JSON Schema's maxLength, zod's max). */
const characters = (text: string): number => Array.from(text).length;

function checkLimits(settings: Settings, { prompts, tasks }: CreateJobRequest): void {
  if (new Set(tasks).size < tasks.length) throw new ServiceError("duplicate_task");
  if (prompts.length > settings.MAX_PROMPTS) {
    throw new ServiceError("too_many_prompts", `A job takes at most ${settings.MAX_PROMPTS} prompts.`);
  }
  if (prompts.some((prompt) => characters(prompt) > settings.MAX_PROMPT_LENGTH)) {
    throw new ServiceError(
      "prompt_too_long",
      `A prompt has at most ${settings.MAX_PROMPT_LENGTH} characters.`,
    );
  }
}

function define(account: Account, request: CreateJobRequest, jobId: string): JobDefinition {
  const mode = modeOf(request);
  const common = {
    jobId,
    accountId: account.accountId,
    mode,
    lane: laneOf(account.mode, mode),
    prompts: request.prompts,
    generatePreview: request.generatePreview,
    taskIds: request.tasks,
    createdAt: Date.now(),
  };
  if (request.type === "image") {
    const { type, threshold, maskThreshold } = request;
    return { ...common, type, threshold, maskThreshold };
  }
  const { type, scoreThreshold, fps, numFrames, maxFrames } = request;
  return {
    ...common,
    type,
    scoreThreshold,
    fps: fps ?? null,
    numFrames: numFrames ?? null,
    maxFrames: maxFrames ?? null,
  };
}

function modeOf({ type, tasks }: CreateJobRequest): ProcessingMode {
  if (type === "video") return "video";
  return tasks.length === 1 ? "single" : "batch";
}
