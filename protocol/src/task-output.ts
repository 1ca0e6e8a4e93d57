import { z } from "zod";
import { MOST_MASKS_PER_TASK, OutputName } from "./outputs.ts";
import { TaskProblem } from "./problem.ts";

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
