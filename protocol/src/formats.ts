import { z } from "zod";
import type { OUTPUTS } from "./outputs.ts";

type Kind<Type extends keyof typeof OUTPUTS> = keyof (typeof OUTPUTS)[Type];

/** A format that a picture's result is written in as well, if its job asks for it: the kind of an output. */
export const ImageFormat = z.enum([
  "coco",
  "yolo",
  "cutout",
  "labelmap",
] as const satisfies readonly Kind<"image">[]);
export type ImageFormat = z.infer<typeof ImageFormat>;

/** The same of a clip. */
export const VideoFormat = z.enum(["coco"] as const satisfies readonly Kind<"video">[]);
export type VideoFormat = z.infer<typeof VideoFormat>;

/** The formats that a task's result is written in as well, and what they call its upload. */
export const wantedFormats = <Format extends z.ZodType>(format: Format) =>
  z.strictObject({
    wanted: z.array(format).min(1),
    taskId: z.string().min(1).max(200),
    /** Its place among the job's tasks, from 0: with it, ids are unique in the whole job. */
    index: z.int().nonnegative(),
  });
