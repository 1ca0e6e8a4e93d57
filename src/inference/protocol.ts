/**
 * The protocol between the Worker and the inference service, the one authority for both sides.
 *
 * Worker → service, `Authorization: Bearer <INFERENCE_TOKEN>`:
 *   POST   /v1/tasks        TaskRequest → 202 TaskState (new or already known key), 400 (never to be taken),
 *                           401 and 403 (an operator's setting is wrong), 429 (lane full) and 503 (not ready
 *                           or draining), both with Retry-After; all but 202 with { error, message }
 *   GET    /v1/tasks/{key}  → 200 TaskState, 404
 *   DELETE /v1/tasks/{key}  → 204: stop the task; nothing more is reported for it
 *
 * Service → Worker, `Authorization: Bearer <callbackToken>` (a token signed for one lease):
 *   POST {callbackUrl}/outputs   OutputsRequest  → 200 OutputsGrant
 *   POST {callbackUrl}/progress  ProgressReport  → 200 LeaseExtension
 *   POST {callbackUrl}/complete  Completion      → 204; again to who repeats what ended the task
 * Each answers 409 `lease_lost` once the lease is no longer in force: the service then drops the task.
 */
import { z } from "zod";

/** Which queue a task came from; the service serves `interactive` first and bounds each lane apart. */
export const Lane = z.enum(["interactive", "bulk", "trial"]);
export type Lane = z.infer<typeof Lane>;

/** A client-chosen id: posting the same key twice starts one task. */
export const TaskKey = z.string().regex(/^[A-Za-z0-9._-]{1,200}$/);

/** The most masks that one task may have. */
export const MOST_MASKS_PER_TASK = 10_000;

const Share = z.number().min(0).max(1);

/** What every task has. Sizes are bytes; `deadline` is epoch milliseconds. */
const task = {
  key: TaskKey,
  lane: Lane,
  inputUrl: z.url(),
  prompts: z.array(z.string().min(1)).min(1),
  generatePreview: z.boolean(),
  callbackUrl: z.url(),
  callbackToken: z.string().min(1),
  /** The lease ends here unless a progress report extends it. */
  deadline: z.int().positive(),
};

/** One picture to segment. Thresholds are probabilities. */
export const ImageTaskRequest = z.strictObject({
  ...task,
  type: z.literal("image"),
  limits: z.strictObject({
    inputBytes: z.int().positive(),
    inputPixels: z.int().positive(),
    masks: z.int().positive(),
  }),
  threshold: Share,
  maskThreshold: Share,
});
export type ImageTaskRequest = z.infer<typeof ImageTaskRequest>;

/**
 * Which of a clip's frames are looked at: so many a second, or so many in all, or (both null) the clip's own rate up
 * to six a second; never more than `maxFrames`, where that is given.
 */
export const Sampling = z.strictObject({
  fps: z.number().positive().nullable(),
  numFrames: z.int().positive().nullable(),
  maxFrames: z.int().positive().nullable(),
});
export type Sampling = z.infer<typeof Sampling>;

/** One clip to segment frame by frame, with its objects tracked. */
export const VideoTaskRequest = z.strictObject({
  ...task,
  type: z.literal("video"),
  limits: z.strictObject({
    inputBytes: z.int().positive(),
    /** Of one frame. */
    inputPixels: z.int().positive(),
    /** Of the whole clip. */
    seconds: z.number().positive(),
    /** Sampled ones: a clip that would give more is refused. */
    frames: z.int().positive(),
  }),
  scoreThreshold: Share,
  sampling: Sampling,
});
export type VideoTaskRequest = z.infer<typeof VideoTaskRequest>;

export const TaskRequest = z.discriminatedUnion("type", [ImageTaskRequest, VideoTaskRequest]);
export type TaskRequest = z.infer<typeof TaskRequest>;

export const TaskState = z.strictObject({
  key: TaskKey,
  state: z.enum(["queued", "running", "done"]),
});
export type TaskState = z.infer<typeof TaskState>;

/** A file's name under its lease's prefix: a picture's masks and preview, a clip's masks and preview. */
export const OutputName = z.string().regex(/^(masks\/\d{1,5}\.png|preview\.png|masks\.json|preview\.mp4)$/);

/** A file that the service wants to write; its URL is signed for exactly this type, size and MD5. */
export const OutputFile = z.strictObject({
  name: OutputName,
  contentType: z.enum(["image/png", "application/json", "video/mp4"]),
  size: z.int().positive(),
  /** Base64 of the MD5 digest, sent as Content-MD5: the checksum that R2 verifies everywhere. */
  md5: z.base64().length(24),
});
export type OutputFile = z.infer<typeof OutputFile>;

export const OutputsRequest = z.strictObject({
  files: z
    .array(OutputFile)
    .min(1)
    .max(MOST_MASKS_PER_TASK + 1),
});
export type OutputsRequest = z.infer<typeof OutputsRequest>;

/** A signed PUT for each file, in the request's order; `headers` must be sent as they are. */
export const OutputsGrant = z.strictObject({
  uploads: z.array(
    z.strictObject({ name: OutputName, url: z.url(), headers: z.record(z.string(), z.string()) }),
  ),
});
export type OutputsGrant = z.infer<typeof OutputsGrant>;

/** How far a task is, in units (pictures or frames); each report extends the lease. */
export const ProgressReport = z.strictObject({
  done: z.int().nonnegative(),
  total: z.int().positive(),
});
export type ProgressReport = z.infer<typeof ProgressReport>;

export const LeaseExtension = z.strictObject({ deadline: z.int().positive() });
export type LeaseExtension = z.infer<typeof LeaseExtension>;

/** A stable snake_case code and a sentence that tells a person what to do. */
export const TaskProblem = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]{2,63}$/),
  message: z.string().min(1).max(500),
});
export type TaskProblem = z.infer<typeof TaskProblem>;

export const MaskOutput = z.strictObject({
  maskIndex: z.int().nonnegative(),
  promptIndex: z.int().nonnegative(),
  confidence: z.number().min(0).max(1),
  file: OutputName,
});
export type MaskOutput = z.infer<typeof MaskOutput>;

/** What a finished task gave; `notice` names what could not be served although it succeeded. */
const output = { generatedAt: z.iso.datetime({ precision: 3 }), notice: TaskProblem.nullable() };

export const ImageTaskOutput = z.strictObject({
  ...output,
  type: z.literal("image"),
  /** What is charged for: a picture is one. */
  units: z.literal(1),
  masks: z.array(MaskOutput).max(MOST_MASKS_PER_TASK),
  preview: OutputName.nullable(),
});
export type ImageTaskOutput = z.infer<typeof ImageTaskOutput>;

export const VideoTaskOutput = z.strictObject({
  ...output,
  type: z.literal("video"),
  /** What is charged for: the frames that were processed. */
  units: z.int().positive(),
  framesWithMasks: z.int().nonnegative(),
  totalMasks: z.int().nonnegative(),
  /** The file that lists every processed frame. */
  masks: OutputName,
  preview: OutputName.nullable(),
});
export type VideoTaskOutput = z.infer<typeof VideoTaskOutput>;

export const TaskOutput = z.discriminatedUnion("type", [ImageTaskOutput, VideoTaskOutput]);
export type TaskOutput = z.infer<typeof TaskOutput>;

/**
 * How a task ended. `retryable` is true where another attempt may succeed (a crash, a full disk); `returned` means that the
 * service stops before the task was done, which costs the task no attempt.
 */
export const Completion = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("success"), output: TaskOutput }),
  z.strictObject({ outcome: z.literal("failed"), problem: TaskProblem, retryable: z.boolean() }),
  z.strictObject({ outcome: z.literal("returned") }),
]);
export type Completion = z.infer<typeof Completion>;
