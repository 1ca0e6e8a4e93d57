import { taskFailure, type TaskFailure } from "../failures.ts";

const MEBIBYTE = 1_048_576;

/** The limit of a picture's text in a format, in bytes. */
export const MOST_TEXT_BYTES = 128 * MEBIBYTE;
/** The limit of a video's text in bytes, which a client can be expected to read. */
export const MOST_CLIP_TEXT_BYTES = 512 * MEBIBYTE;
/** The limit of a picture's cut-outs before compression, in bytes: 268 megapixels. */
export const MOST_CUTOUT_BYTES = 1_024 * MEBIBYTE;

/** The failure of a task whose files in a format, such as "COCO annotations", would exceed their limit. */
export const formatsTooLarge = (files: string, limitBytes: number): TaskFailure =>
  taskFailure("formats_too_large", { files, limit: `${limitBytes / MEBIBYTE} MB` });
