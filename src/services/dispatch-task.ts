import type { TaskClaim } from "../core/job/answers.ts";
import type { ImageJobDefinition } from "../core/job/state.ts";
import { issueLeaseToken } from "../core/lease-token.ts";
import { log } from "../core/log.ts";
import { inputKey } from "../core/object-keys.ts";
import { taskKey } from "../core/task-key.ts";
import { MOST_MASKS_PER_TASK, type Completion, type TaskRequest } from "../inference/protocol.ts";
import type { Platform } from "../stores/platform.ts";

/** An input is fetched soon after its task was accepted; the token must outlive every extension of the lease. */
const INPUT_SECONDS = 3_600;
const TOKEN_MS = 24 * 3_600_000;

/** A result names each mask with a signed URL, twice: more would not fit a Worker's memory. */
const MOST_MASKS_PER_JOB = 30_000;

/** Many tasks turned away at once should not come back at once. */
const jittered = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() / 2));

async function requestOf(
  platform: Platform,
  taskId: string,
  { lease, deadline }: TaskClaim,
  definition: ImageJobDefinition,
): Promise<TaskRequest> {
  const { settings, media } = platform;
  const { jobId, accountId } = definition;
  const [inputUrl, callbackToken] = await Promise.all([
    media.signGet(inputKey(accountId, taskId), INPUT_SECONDS),
    issueLeaseToken(settings.SIGNING_SECRET, { job: jobId, task: taskId, lease }, deadline + TOKEN_MS),
  ]);
  return {
    key: taskKey(jobId, taskId, lease),
    lane: definition.lane,
    type: "image",
    inputUrl,
    limits: {
      inputBytes: settings.MAX_IMAGE_BYTES,
      inputPixels: settings.MAX_IMAGE_PIXELS,
      masks: Math.min(MOST_MASKS_PER_TASK, Math.floor(MOST_MASKS_PER_JOB / definition.taskIds.length)),
    },
    prompts: [...definition.prompts],
    threshold: definition.threshold,
    maskThreshold: definition.maskThreshold,
    generatePreview: definition.generatePreview,
    callbackUrl: `${settings.PUBLIC_URL}/internal/leases`,
    callbackToken,
    deadline,
  };
}

const VIDEO_UNSUPPORTED: Completion = {
  outcome: "failed",
  problem: {
    code: "video_unsupported",
    message: "This service does not process videos yet. Nothing was charged.",
  },
  retryable: false,
};

/**
 * Takes a task from the queue to the inference service. Never waits for the inference itself: the service reports
 * by itself, and the JobObject's watchdog sends the task again should it not.
 */
export async function dispatchTask(platform: Platform, jobId: string, taskId: string): Promise<void> {
  const jobObject = platform.jobObject(jobId);
  const claim = await jobObject.claimTask(taskId);
  if (claim === null) return;
  const { definition, lease } = claim;
  if (definition.type === "video") {
    await jobObject.completeTask(taskId, lease, VIDEO_UNSUPPORTED);
    return;
  }
  const submitted = await platform.inference.submit(await requestOf(platform, taskId, claim, definition));
  switch (submitted.outcome) {
    case "accepted":
      return jobObject.startTask(taskId, lease);
    case "busy":
      log(submitted.expected ? "info" : "warn", "inference_busy", {
        jobId,
        taskId,
        reason: submitted.reason,
      });
      return jobObject.releaseTask(taskId, lease, jittered(submitted.delayMs));
    case "refused":
      log("error", "inference_refused", { jobId, taskId, reason: submitted.reason });
      await jobObject.completeTask(taskId, lease, {
        outcome: "failed",
        problem: {
          code: "task_refused",
          message: "The inference service does not take such a task. The operator's log says why.",
        },
        retryable: false,
      });
  }
}
