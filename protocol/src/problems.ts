import { z } from "zod";
import { type Blanks, fill } from "./template.ts";

/** Why a task failed, or what a success could not serve. */
interface Row {
  /** Whether another attempt may succeed: after a crash or with a full disk, say, but not with a damaged file. */
  readonly retryable: boolean;
  /** What happened and what to do, for the person who asked; `{…}` is filled in. */
  readonly sentence: string;
}

/** Every problem of a task, by its code. */
export const PROBLEMS = {
  prompt_outside_vocabulary: { retryable: false, sentence: "{explanation}" },

  image_empty: {
    retryable: false,
    sentence: "The uploaded file is empty. Upload the picture again.",
  },
  not_an_image: {
    retryable: false,
    sentence:
      "The file is {found}. Upload a JPEG, PNG, WebP, GIF or AVIF picture; a video belongs in a video job.",
  },
  image_format_unsupported: {
    retryable: false,
    sentence: "{format} files can't be read. Convert the picture to JPEG, PNG, WebP, GIF or AVIF.",
  },
  image_truncated: {
    retryable: false,
    sentence: "The {format} file is cut short: its end is missing. Upload the whole file.",
  },
  image_corrupt: {
    retryable: false,
    sentence: "The {format} file is damaged and can't be decoded. Export the picture again.",
  },
  image_too_many_pixels: {
    retryable: false,
    sentence:
      "The picture has {width} × {height} pixels ({megapixels} megapixels); the limit is {limit} megapixels. Upload a smaller version.",
  },

  input_too_large: {
    retryable: false,
    sentence: "The file is larger than {limit} MB, which is the limit. Upload a smaller one.",
  },
  input_not_found: {
    retryable: false,
    sentence: "The uploaded file is not in storage any more. Upload it again and create a new job.",
  },
  input_unavailable: {
    retryable: true,
    sentence: "The inference service could not read the uploaded file from storage. Create a new job later.",
  },
  input_forbidden: {
    retryable: true,
    sentence:
      "Storage refused to hand out the uploaded file. Create a new job; if that fails too, the operator has to check the storage settings.",
  },
  input_redirected: {
    retryable: false,
    sentence:
      "Storage answered with a redirect, which the inference service never follows. The operator has to check the storage settings.",
  },

  too_many_masks: {
    retryable: false,
    sentence:
      "The result would have more than {limit}, which is the limit. Raise the threshold, send fewer prompts, or process fewer frames of a video.",
  },

  video_unreadable: {
    retryable: false,
    sentence:
      "The video can't be read: {reason}. Export it as one ordinary MP4, MOV, WebM, MKV or AVI file and upload that.",
  },
  video_truncated: {
    retryable: false,
    sentence: "The video is cut short: a part of the file is missing. Upload the whole file.",
  },
  video_stream_missing: {
    retryable: false,
    sentence: "The file has only sound or pictures in it, and no video. Upload a video.",
  },
  video_format_unsupported: {
    retryable: false,
    sentence: "{format} files can't be read. Export the video as MP4, MOV, WebM, MKV or AVI.",
  },
  video_codec_unsupported: {
    retryable: false,
    sentence:
      "The video is encoded with {codec}, which can't be read. Encode it as H.264, H.265, VP9 or AV1.",
  },
  video_too_long: {
    retryable: false,
    sentence: "The video is longer than {limit}, which is the limit. Upload a shorter one, or several parts.",
  },
  frame_too_large: {
    retryable: false,
    sentence:
      "The video's frames have {width} × {height} pixels; the limit is {limit} megapixels. Upload a smaller version.",
  },
  too_many_frames: {
    retryable: false,
    sentence:
      "The job would process {count} frames of the video; the limit is {limit}. {change}, or send a shorter video.",
  },
  video_stalled: {
    retryable: true,
    sentence:
      "Reading or writing the video stood still. Create a new job; if that fails too, convert the video to MP4 with H.264.",
  },
  video_crashed: {
    retryable: true,
    sentence:
      "FFmpeg crashed while it worked on the video. Create a new job; if that fails too, convert the video to MP4 with H.264.",
  },
  preview_failed: {
    retryable: true,
    sentence:
      "The preview could not be encoded. Create a new job; if that fails too, create one without a preview.",
  },
  video_unavailable: {
    retryable: false,
    sentence: "This service has no FFmpeg and can't process videos. The operator has to install it.",
  },

  engine_crashed: {
    retryable: true,
    sentence: "The inference engine crashed while it worked on this task. Create a new job.",
  },
  engine_timeout: {
    retryable: true,
    sentence:
      "A single step of the task, such as one run of the model, took longer than {seconds} seconds and was stopped. Create a new job.",
  },
  model_output_invalid: {
    retryable: true,
    sentence:
      "The model gave a result that can't be true. Create a new job; if that fails too, the operator has to look at the model.",
  },
  disk_full: {
    retryable: true,
    sentence: "The inference service ran out of disk space. Create a new job later.",
  },
  internal_error: {
    retryable: true,
    sentence:
      "The inference service met an unexpected error. Create a new job; if that fails too, the operator's log says why.",
  },

  output_refused: {
    retryable: true,
    sentence:
      "Storage refused a result file with status {status}. Create a new job; if that fails too, the operator has to check the storage settings.",
  },
  output_unavailable: {
    retryable: true,
    sentence: "A result file could not be written to storage. Create a new job later.",
  },
  output_grant_unavailable: {
    retryable: true,
    sentence: "The inference service got no upload URLs for the results. Create a new job later.",
  },
  output_grant_mismatch: {
    retryable: true,
    sentence:
      "The inference service got upload URLs for other files than it asked for. The operator has to deploy versions that fit each other.",
  },
  storage_origin_refused: {
    retryable: false,
    sentence:
      "The inference service may not write to the storage that it was given. The operator has to allow that origin.",
  },

  task_refused: {
    retryable: false,
    sentence: "The inference service does not take such a task. The operator's log says why.",
  },
  inference_unavailable: {
    retryable: false,
    sentence: "The inference service had no room for this task for too long. Create a new job later.",
  },
  attempts_exhausted: {
    retryable: false,
    sentence: "The inference service did not finish this task in any of its attempts. Create a new job.",
  },
  all_tasks_failed: {
    retryable: false,
    sentence: "None of the {count} tasks succeeded. See the error of each task.",
  },
} as const satisfies Record<string, Row>;

export type ProblemCode = keyof typeof PROBLEMS;

const LONGEST_MESSAGE = 500;

/** As it goes over the wire and into storage, where codes of other versions may be too. */
export const TaskProblem = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]{2,63}$/),
  message: z.string().min(1).max(LONGEST_MESSAGE),
});
export type TaskProblem = z.infer<typeof TaskProblem>;

const isProblemCode = (code: unknown): code is ProblemCode =>
  typeof code === "string" && Object.hasOwn(PROBLEMS, code);

/** A problem of this version's table. */
export const Problem = z.strictObject({ ...TaskProblem.shape, code: z.custom<ProblemCode>(isProblemCode) });
export type Problem = z.infer<typeof Problem>;

/** What has to be said beside a code: what its sentence leaves open. */
export type Particulars<Code extends ProblemCode> = Blanks<(typeof PROBLEMS)[Code]["sentence"]>;

/** A problem by its code, its sentence filled in and cut to what the wire takes. */
export function problemOf<Code extends ProblemCode>(code: Code, ...[values]: Particulars<Code>): Problem {
  const sentence: string = PROBLEMS[code].sentence;
  const message = fill(sentence, { ...values });
  if (message.length <= LONGEST_MESSAGE) return { code, message };
  return { code, message: `${message.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…` };
}
