import { z } from "zod";
import { ImageFormat, VideoFormat, wantedFormats } from "./formats.ts";

/** Which queue a task came from; the service serves the lanes in this order and bounds each separately. */
export const Lane = z.enum(["interactive", "bulk", "trial"]);
export type Lane = z.infer<typeof Lane>;

/** Sorts lanes by the order in which they are served. */
export const byLane = (a: Lane, b: Lane): number => Lane.options.indexOf(a) - Lane.options.indexOf(b);

/** A task's id, chosen by the Worker: posting the same key twice starts one task. */
export const TaskKey = z.string().regex(/^[A-Za-z0-9._-]{1,200}$/);

/** An HTTP entity tag, strong and quoted, as `If-Match` takes it (RFC 9110, section 8.8.3). */
const EntityTag = z.string().regex(/^"[\x21\x23-\x7e]{1,200}"$/);

const Share = z.number().min(0).max(1);

/** What every task has. Sizes are in bytes, `deadline` in epoch milliseconds. */
const task = {
  key: TaskKey,
  lane: Lane,
  /** Whose task it is, as an id that says nothing else: the service shares its places fairly between accounts. */
  account: z.string().min(1).max(100),
  /** When the task's job was accepted, epoch milliseconds: the service takes the oldest first. */
  acceptedAt: z.int().positive(),
  inputUrl: z.url(),
  /** What storage called the input's bytes at the job's acceptance: other bytes are `input_changed`. Absent: any will do. */
  inputEtag: EntityTag.optional(),
  prompts: z.array(z.string().min(1)).min(1),
  generatePreview: z.boolean(),
  callbackUrl: z.url(),
  callbackToken: z.string().min(1),
  /** The lease ends then unless a progress report extends it. */
  deadline: z.int().positive(),
};

/** One picture to segment. Thresholds are probabilities. */
export const ImageTaskRequest = z.strictObject({
  ...task,
  type: z.literal("image"),
  limits: z.strictObject({
    inputBytes: z.int().positive(),
    inputPixels: z.int().positive(),
    /** Shared alike by the prompts; of each, the most confident are kept. */
    masks: z.int().positive(),
  }),
  threshold: Share,
  maskThreshold: Share,
  /** Absent: none. */
  formats: wantedFormats(ImageFormat).optional(),
});
export type ImageTaskRequest = z.infer<typeof ImageTaskRequest>;

/**
 * Which of a clip's frames are processed: `fps` per second, or `numFrames` in all, or (both null) the clip's own rate up
 * to six per second; never more than `maxFrames`, if that is given.
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
    /** Sampled frames: a clip that would yield more is refused. */
    frames: z.int().positive(),
  }),
  scoreThreshold: Share,
  sampling: Sampling,
  /** Absent: none. */
  formats: wantedFormats(VideoFormat).optional(),
});
export type VideoTaskRequest = z.infer<typeof VideoTaskRequest>;

export const TaskRequest = z.discriminatedUnion("type", [ImageTaskRequest, VideoTaskRequest]);
export type TaskRequest = z.infer<typeof TaskRequest>;

/** How far the service is with a task. */
export const TaskState = z.strictObject({
  key: TaskKey,
  state: z.enum(["queued", "running", "done"]),
});
export type TaskState = z.infer<typeof TaskState>;
