import type { TaskClaim } from "../rules/answers.ts";
import type { JobDefinition } from "../rules/state.ts";
import { issueLeaseToken, taskKey } from "../rules/lease.ts";
import { log } from "../../shared/log.ts";
import { masksAsked, mostMasks } from "../rules/task-outputs.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import { clipRegionsOf, priorsOfTask, regionNamesOf, regionsOfTask } from "../rules/define.ts";
import {
  ImageParameters,
  problemOf,
  PROBLEMS,
  type TaskRequest,
  VideoParameters,
} from "@segmentation/protocol";
import { secretsOf } from "../../feature-settings.ts";
import type { Settings } from "../../settings.ts";
import type { Platform } from "../../platform.ts";

/**
 * Time for which a holder may keep a task: long enough for a full lane of long videos before it, on a processor that takes hours
 * for each. The input's URL and the token are valid as long; storage refuses a URL that is signed for more than seven days.
 */
export const HELD_MS = 4 * 86_400_000;

/** Returns the additional result formats of a task, with the names of all its job's regions; empty if its job asked for none. */
function wantedFormats<Format>(
  formats: readonly Format[] | undefined,
  definition: JobDefinition,
  taskId: string,
) {
  if (formats === undefined) return {};
  const index = definition.taskIds.indexOf(taskId);
  const regionNames = regionNamesOf(definition);
  const named = regionNames.length > 0 && { regionNames };
  return { formats: { wanted: [...formats], taskId, index, ...named } };
}

/** Returns the work: the job's request to the model, and the limits, regions and formats of this task. */
function workOf(settings: Settings, definition: JobDefinition, taskId: string) {
  if (definition.type === "image") {
    const { formats } = definition;
    const regions = regionsOfTask(definition, taskId);
    const limits = {
      inputBytes: settings.MAX_IMAGE_BYTES,
      inputPixels: settings.MAX_IMAGE_PIXELS,
      masks: mostMasks(masksAsked(definition)),
    };
    const drawn = regions.length > 0 && { regions };
    return {
      ...ImageParameters.parse(definition),
      limits,
      ...wantedFormats(formats, definition, taskId),
      ...drawn,
    };
  }
  const { fps, numFrames, maxFrames, formats, regions } = definition;
  const limits = {
    inputBytes: settings.MAX_VIDEO_BYTES,
    inputPixels: settings.MAX_VIDEO_FRAME_PIXELS,
    seconds: settings.MAX_VIDEO_SECONDS,
    frames: settings.MAX_VIDEO_FRAMES,
  };
  const sampling = { fps, numFrames, maxFrames };
  return {
    ...VideoParameters.parse(definition),
    limits,
    sampling,
    ...wantedFormats(formats, definition, taskId),
    ...(regions && { regions: clipRegionsOf(regions) }),
  };
}

/** Returns the masks that a task's regions refine, with signed URLs; empty if they refine none. */
async function priorMasksOf({ media }: Platform, definition: JobDefinition, taskId: string) {
  const priors = definition.type === "image" ? priorsOfTask(definition, taskId) : [];
  if (priors.length === 0) return {};
  const priorMasks = priors.map(async ({ regionIndex, prior }) => ({
    regionIndex,
    url: await media.signGet(prior, HELD_MS / 1_000),
  }));
  return { priorMasks: await Promise.all(priorMasks) };
}

/** Returns the required ETag of the task's input; null if any is valid. */
const inputEtagOf = ({ taskIds, inputEtags }: JobDefinition, taskId: string): string | null =>
  inputEtags?.[taskIds.indexOf(taskId)] ?? null;

async function requestOf(
  platform: Platform,
  taskId: string,
  { definition, lease, deadline }: TaskClaim,
): Promise<TaskRequest> {
  const { settings, media } = platform;
  const { jobId, accountId } = definition;
  const inputEtag = inputEtagOf(definition, taskId);
  const [inputUrl, callbackToken, priorMasks] = await Promise.all([
    media.signGet(inputKey(accountId, taskId), HELD_MS / 1_000),
    issueLeaseToken(secretsOf(settings), { job: jobId, task: taskId, lease }, deadline + HELD_MS),
    priorMasksOf(platform, definition, taskId),
  ]);
  return {
    key: taskKey(jobId, taskId, lease),
    lane: definition.lane,
    account: accountId,
    acceptedAt: definition.createdAt,
    inputUrl,
    ...(inputEtag !== null && { inputEtag }),
    callbackUrl: `${settings.PUBLIC_URL}/internal/leases`,
    callbackToken,
    deadline,
    ...workOf(settings, definition, taskId),
    ...priorMasks,
  };
}

/**
 * Takes a task from the queue to the inference service. It never waits for the inference itself: the service calls
 * back, and if it does not, the JobObject's alarm sends the task again.
 */
export async function dispatchTask(platform: Platform, jobId: string, taskId: string): Promise<void> {
  const { inference } = platform;
  const jobObject = platform.jobObject(jobId);
  const passed = new Set<string>();
  for (;;) {
    const claim = await jobObject.claimTask(taskId);
    if (claim === null) return;
    const { lease } = claim;
    const request = await requestOf(platform, taskId, claim);
    const begun = Date.now();
    const { pool, hasOthers, ...offered } = await inference.submit(request, taskId, passed);
    const outcome = offered.outcome === "busy" && offered.perhapsTaken ? "unanswered" : offered.outcome;
    const ms = Date.now() - begun;
    log("info", "task_offered", { jobId, taskId, lane: request.lane, outcome, pool, ms });
    switch (offered.outcome) {
      case "accepted":
        return jobObject.startTask(taskId, lease, pool);
      case "busy":
        log(offered.expected ? "info" : "warn", "inference_busy", { jobId, taskId, reason: offered.reason });
        // Once the lease is handed back the task is offered again, and should not run twice meanwhile.
        if (offered.perhapsTaken) await inference.cancel(request.key, taskId, pool);
        await jobObject.releaseTask(taskId, lease, offered.delayMs);
        if (!hasOthers || pool === null) return;
        passed.add(pool);
        break;
      case "refused":
        log("error", "inference_refused", { jobId, taskId, reason: offered.reason });
        await jobObject.completeTask(taskId, lease, {
          outcome: "failed",
          problem: problemOf("task_refused"),
          retryable: PROBLEMS.task_refused.retryable,
        });
        return;
    }
  }
}
