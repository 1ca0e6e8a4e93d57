import {
  newJob,
  type ImageJobDefinition,
  type JobDefinition,
  type JobState,
  type TaskRecord,
  type VideoJobDefinition,
} from "../../src/jobs/rules/state.ts";
import { claimTask, completeTask } from "../../src/jobs/rules/tasks.ts";
import { DEFAULT_POLICY } from "../../src/jobs/rules/policy.ts";
import { type Completion, type ImageTaskOutput, isList, outputsOf } from "@segmentation/protocol";

/** Creation time of the tests' jobs, epoch milliseconds. */
export const BEGIN = 1_800_000_000_000;
export const SECOND = 1_000;
export const HOUR = 3_600 * SECOND;
export const DAY = 24 * HOUR;

/** Number of a picture's outputs that are one file each. */
export const SINGLE_FILES = outputsOf("image").filter(([, output]) => !isList(output)).length;

const common = {
  jobId: "job_1",
  accountId: "acct_1",
  lane: "bulk",
  prompts: ["cat"],
  generatePreview: false,
  createdAt: BEGIN,
} as const;

/** A definition of a job for pictures. */
export const imageJob = (
  taskIds: readonly string[],
  changes: Partial<ImageJobDefinition> = {},
): ImageJobDefinition => ({
  ...common,
  type: "image",
  processingMode: "batch",
  threshold: 0.5,
  maskThreshold: 0.5,
  taskIds,
  ...changes,
});

/** A definition of a job for a video. */
export const videoJob = (changes: Partial<VideoJobDefinition> = {}): VideoJobDefinition => ({
  ...common,
  type: "video",
  processingMode: "video",
  scoreThreshold: 0,
  fps: null,
  numFrames: null,
  maxFrames: null,
  taskIds: ["clip"],
  ...changes,
});

/** A job at its acceptance. */
export const accepted = (definition: JobDefinition): JobState => ({
  ...newJob(definition),
  phase: "running",
});

/** The output of a task that found nothing. */
export const IMAGE_OUTPUT: ImageTaskOutput = {
  type: "image",
  units: 1,
  generatedAt: "2026-01-01T00:00:00.000Z",
  masks: [],
  preview: null,
  notice: null,
};

export const SUCCESS: Completion = { outcome: "success", output: IMAGE_OUTPUT };

export const CRASHED = { code: "engine_crashed", message: "The engine crashed." } as const;

export const failure = (retryable: boolean): Completion => ({
  outcome: "failed",
  problem: CRASHED,
  retryable,
});

export function taskOf({ tasks }: JobState, taskId?: string): TaskRecord {
  const task = tasks.find((each) => taskId === undefined || each.taskId === taskId);
  if (task === undefined) throw new Error(`the task ${taskId ?? ""} is lost`);
  return task;
}

/** Returns a job after its task was claimed and ended, all at `now`. */
export function ended(state: JobState, taskId: string, completion: Completion, now = BEGIN): JobState {
  const { state: held } = claimTask(state, taskId, DEFAULT_POLICY, now);
  return completeTask(held, taskId, held.lastLease, completion, DEFAULT_POLICY, now).state;
}

/** A job of one picture that ended in success. */
export const successfulJob = (): JobState => ended(accepted(imageJob(["a"])), "a", SUCCESS);
