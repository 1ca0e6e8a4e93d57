import { z } from "zod";
import { ResultFormat, VideoFormat, wantedFormats } from "./formats.ts";
import { MOST_OBJECTS, MOST_REGIONS, objectsOf, RegionLabel } from "./regions.ts";

/** The queue of a task; the service serves the lanes in this order and bounds each separately. */
export const Lane = z.enum(["interactive", "bulk", "trial"]);
export type Lane = z.infer<typeof Lane>;

/** Sorts lanes by the order in which they are served. */
export const byLane = (a: Lane, b: Lane): number => Lane.options.indexOf(a) - Lane.options.indexOf(b);

/** A task's id, chosen by the Worker: posting the same key twice starts one task. */
export const TaskKey = z.string().regex(/^[A-Za-z0-9._-]{1,200}$/);

/** An HTTP entity tag, strong and quoted, as `If-Match` takes it (RFC 9110, section 8.8.3). */
const EntityTag = z.string().regex(/^"[\x21\x23-\x7e]{1,200}"$/);

const Prompt = z.string().min(1);
const Share = z.number().min(0).max(1);

/**
 * A click on a picture, in pixels of the displayed picture: `label` 1 on the object (foreground), 0 outside it
 * (background).
 */
const RegionPoint = z.strictObject({
  x: z.number(),
  y: z.number(),
  label: z.union([z.literal(0), z.literal(1)]),
});

/** A box in a picture, [x, y, width, height] in pixels of the displayed picture. */
const Box = z.tuple([z.number(), z.number(), z.number().positive(), z.number().positive()]).readonly();

/** `index` counts the regions of the job from 0. */
const region = { index: z.int().nonnegative(), label: RegionLabel.optional() };
const boxed = z.strictObject({ ...region, box: Box });
const pointed = z.strictObject({ ...region, points: z.array(RegionPoint).min(1).readonly() });

/** True if the region is an example: all objects like it are wanted. Examples with one label show the same thing. */
const example = { findAll: z.literal(true).optional() };

/** Marks an object to draw in a picture: a box, or points on it and outside it. */
export const TaskRegion = z.union([boxed.extend(example), pointed.extend(example)]);
export type TaskRegion = z.infer<typeof TaskRegion>;

/** `timeSeconds` is a player's clock, and selects the frame that a player shows then. */
const moment = {
  timeSeconds: z.number().nonnegative(),
  /** Regions with the same id mark one object. Absent: the region has a separate object. */
  objectId: z.int().positive().max(1_000).optional(),
};

/** Marks an object in a video at a time, to be tracked through the video. */
export const ClipRegion = z.union([boxed.extend(moment), pointed.extend(moment)]);
export type ClipRegion = z.infer<typeof ClipRegion>;

/**
 * Parameters of the model for each picture of a job. This object travels unchanged from the stored job's definition to
 * the process that runs the model. Declare a new parameter here, in the public API, and where it takes effect. It is
 * optional, because jobs stored before lack it. Thresholds are probabilities.
 */
export const ImageParameters = z.object({
  type: z.literal("image"),
  /** Empty if there are regions alone. */
  prompts: z.array(Prompt).readonly(),
  generatePreview: z.boolean(),
  threshold: Share,
  maskThreshold: Share,
});
export type ImageParameters = z.infer<typeof ImageParameters>;

/** Parameters of the model for a video, as in `ImageParameters`. */
export const VideoParameters = z.object({
  type: z.literal("video"),
  /** Empty if there are regions alone. */
  prompts: z.array(Prompt).readonly(),
  generatePreview: z.boolean(),
  scoreThreshold: Share,
});
export type VideoParameters = z.infer<typeof VideoParameters>;

/** The identity of a task's work. */
const work = { key: TaskKey, lane: Lane };

/** One picture to segment: the job's parameters, and the fields of this picture alone. Sizes are in bytes. */
export const ImageWork = z.object({
  ...work,
  ...ImageParameters.shape,
  /** Each gives one mask, after those of the prompts; examples with one label, all that they find. Absent: none. */
  regions: z.array(TaskRegion).min(1).optional(),
  limits: z.strictObject({
    inputBytes: z.int().positive(),
    inputPixels: z.int().positive(),
    /** The prompts share it equally; of each, the most confident are kept. Regions do not count. */
    masks: z.int().nonnegative(),
  }),
  /** Absent: none. */
  formats: wantedFormats(ResultFormat).optional(),
});
export type ImageWork = z.infer<typeof ImageWork>;

/**
 * Selects the frames of a video to process: `fps` per second, or `numFrames` in all, or (both null) the video's own rate
 * up to six per second. `maxFrames`, if present, limits them all.
 */
export const Sampling = z.strictObject({
  fps: z.number().positive().nullable(),
  numFrames: z.int().positive().nullable(),
  maxFrames: z.int().positive().nullable(),
});
export type Sampling = z.infer<typeof Sampling>;

/** One video to segment frame by frame, with its objects tracked. */
export const VideoWork = z.object({
  ...work,
  ...VideoParameters.shape,
  limits: z.strictObject({
    inputBytes: z.int().positive(),
    /** Of one frame. */
    inputPixels: z.int().positive(),
    /** Of the whole video. */
    seconds: z.number().positive(),
    /** Sampled frames: the service refuses a video with more. */
    frames: z.int().positive(),
  }),
  sampling: Sampling,
  /** Objects to track, `MOST_OBJECTS` at most. Absent: none. */
  regions: z.array(ClipRegion).min(1).max(MOST_REGIONS).optional(),
  /** Absent: none. */
  formats: wantedFormats(VideoFormat).optional(),
});
export type VideoWork = z.infer<typeof VideoWork>;

/** Fields of a request besides the work: the account, the input, and the lease. `deadline` is in epoch milliseconds. */
export const delivery = {
  /** The account of the task, as an opaque id: the service shares its places fairly between accounts. */
  account: z.string().min(1).max(100),
  /** The time when the task's job was accepted, epoch milliseconds: the service takes the oldest first. */
  acceptedAt: z.int().positive(),
  inputUrl: z.url(),
  /**
   * The ETag of the input's bytes at the job's acceptance: other bytes are `input_changed`. Absent: any bytes will do.
   */
  inputEtag: EntityTag.optional(),
  callbackUrl: z.url(),
  callbackToken: z.string().min(1),
  /** The end of the lease, unless a progress report extends it. */
  deadline: z.int().positive(),
};

/** The mask of an earlier result, which the region with this index of the job corrects: a PNG of the picture's size. */
export const PriorMask = z.strictObject({ regionIndex: z.int().nonnegative(), url: z.url() });
export type PriorMask = z.infer<typeof PriorMask>;

export const ImageTaskRequest = z
  .strictObject({
    ...delivery,
    ...ImageWork.shape,
    /** Absent: no region of the task corrects a mask. */
    priorMasks: z.array(PriorMask).min(1).max(MOST_REGIONS).optional(),
  })
  .refine(
    ({ prompts, regions, formats }) =>
      prompts.length > 0 || regions !== undefined || formats?.wanted.includes("embedding") === true,
    { error: "a picture's task needs a prompt, a region or the format embedding", path: ["prompts"] },
  );
export type ImageTaskRequest = z.infer<typeof ImageTaskRequest>;

export const VideoTaskRequest = z
  .strictObject({ ...delivery, ...VideoWork.shape })
  .refine(({ prompts, regions }) => prompts.length > 0 || regions !== undefined, {
    error: "a video's task needs a prompt or a region",
    path: ["prompts"],
  })
  .refine(({ regions = [] }) => objectsOf(regions).length <= MOST_OBJECTS, {
    error: `has more than ${MOST_OBJECTS} objects`,
    path: ["regions"],
  });
export type VideoTaskRequest = z.infer<typeof VideoTaskRequest>;

export const TaskRequest = z.discriminatedUnion("type", [ImageTaskRequest, VideoTaskRequest]);
export type TaskRequest = z.infer<typeof TaskRequest>;

/** The progress of a task in the service. */
export const TaskState = z.strictObject({
  key: TaskKey,
  state: z.enum(["queued", "running", "done"]),
});
export type TaskState = z.infer<typeof TaskState>;
