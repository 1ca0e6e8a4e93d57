import { z } from "zod";
import { type Blanks, fill } from "./template.ts";
import { cutText } from "./text.ts";

/** The reason why a task failed, or a part of a request that a success could not serve. */
interface Row {
  /** True if another attempt may succeed: after a crash or a full disk, for example, but not with a damaged file. */
  readonly retryable: boolean;
  /** Explanation and advice for the person who asked; `{…}` is filled in. */
  readonly sentence: string;
}

/** Every problem of a task, by its code. */
export const PROBLEMS = {
  canceled: {
    retryable: false,
    sentence: "The job was canceled before this task had ended. Create the job again if you still need it.",
  },

  prompt_outside_vocabulary: { retryable: false, sentence: "{explanation}" },
  prompt_partly_served: { retryable: false, sentence: "{explanation}" },

  regions_unsupported: {
    retryable: false,
    sentence:
      "This service's model can't {what}. Create the job again with prompts instead of regions, or ask the operator for a model that can.",
  },
  embedding_unsupported: {
    retryable: false,
    sentence:
      "This service's model has no embeddings. Create the job again without the format embedding, or ask the operator for a model that has them.",
  },
  examples_unsupported: {
    retryable: false,
    sentence:
      "This service's model can't {what}. Create the job again without findAll, or ask the operator for a model that can.",
  },
  region_outside_image: {
    retryable: false,
    sentence:
      "The region regions[{index}] lies partly or wholly outside the picture, which has {width} × {height} pixels as viewers show it, turned upright. Give the region in these pixels, and create the job again.",
  },
  region_outside_clip: {
    retryable: false,
    sentence:
      "The region regions[{index}] is at {time} seconds, but {what} at {end} seconds. Give an earlier time, and create the job again.",
  },
  prior_mask_unusable: {
    retryable: false,
    sentence:
      "The mask that the region regions[{index}] refines {reason}. Leave out what the region refines, or segment the picture again and refine the new mask.",
  },

  masks_limited: {
    retryable: false,
    sentence:
      "More objects were found than a picture may have: for each prompt, the {limit} most confident were kept. Raise the threshold, or cut the picture into parts.",
  },

  frames_missing: {
    retryable: false,
    sentence:
      "{got} of {planned} frames could be read: the others are damaged, and the result lacks them. If you have a better copy of the video, upload that.",
  },
  video_ends_early: {
    retryable: false,
    sentence:
      "The video's frames end at {end} seconds, but {announced}. The result has the existing frames; if you have the whole video, upload it.",
  },
  video_track_chosen: {
    retryable: false,
    sentence:
      "The file has {count} video tracks; only the one that players show first, of {width} × {height} pixels, was processed. To process another one, upload it as a separate file.",
  },

  hdr_not_converted: {
    retryable: false,
    sentence:
      "The video is HDR (high dynamic range), which this service can't convert: colors looked washed out to the model and in the preview, and objects may be missing. Convert the video to SDR for better results.",
  },

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
    sentence: "{format} files are not supported. Convert the picture to JPEG, PNG, WebP, GIF or AVIF.",
  },
  image_truncated: {
    retryable: false,
    sentence: "The {format} file is cut short: its end is missing. Upload the whole file.",
  },
  image_corrupt: {
    retryable: false,
    sentence: "The {format} file is damaged and cannot be decoded. Export the picture again.",
  },
  image_too_many_pixels: {
    retryable: false,
    sentence:
      "The picture has {width} × {height} pixels ({megapixels} megapixels); the limit is {limit} megapixels. Upload a smaller version.",
  },

  input_too_large: {
    retryable: false,
    sentence: "The file is larger than the limit of {limit} MB. Upload a smaller one.",
  },
  input_not_found: {
    retryable: false,
    sentence: "The uploaded file is no longer in storage. Upload it again and create a new job.",
  },
  input_changed: {
    retryable: false,
    sentence:
      "The uploaded file was replaced after the service had checked it. Create a new job, which takes the new file.",
  },
  input_unavailable: {
    retryable: true,
    sentence: "The inference service could not read the uploaded file from storage. Create a new job later.",
  },
  input_forbidden: {
    retryable: true,
    sentence:
      "Storage denied access to the uploaded file. Create a new job; if that fails too, the operator has to check the storage settings.",
  },
  input_redirected: {
    retryable: false,
    sentence:
      "Storage answered with a redirect, which the inference service never follows. The operator has to check the storage settings.",
  },

  too_many_masks: {
    retryable: false,
    sentence:
      "The result would exceed the limit of {limit}. Raise the threshold, send fewer prompts, or process fewer frames of a video.",
  },

  formats_too_large: {
    retryable: false,
    sentence:
      "The {files} would exceed the limit of {limit}. Raise the threshold, send fewer prompts, or ask for fewer formats.",
  },

  video_unreadable: {
    retryable: false,
    sentence:
      "The video cannot be read: {reason}. Export it as an ordinary MP4, MOV, WebM, MKV or AVI file and upload that.",
  },
  video_truncated: {
    retryable: false,
    sentence:
      "The video is cut short: part of the file is missing. Upload the whole file. If this is all there is, FFmpeg may save what is readable (`ffmpeg -i video.mp4 -c copy video.mkv`): upload that.",
  },
  video_encrypted: {
    retryable: false,
    sentence:
      "The video is encrypted (DRM), so that its frames cannot be decoded. Upload a copy without copy protection.",
  },
  video_stream_missing: {
    retryable: false,
    sentence: "The file contains no video, only sound or pictures. Upload a video.",
  },
  video_format_unsupported: {
    retryable: false,
    sentence: "{format} files are not supported. Export the video as MP4, MOV, WebM, MKV or AVI.",
  },
  video_codec_unsupported: {
    retryable: false,
    sentence:
      "The video is encoded with {codec}, which is not supported. Encode it as H.264, H.265, VP9 or AV1.",
  },
  video_too_long: {
    retryable: false,
    sentence: "The video is longer than the limit of {limit}. Upload a shorter one, or several parts.",
  },
  frame_too_large: {
    retryable: false,
    sentence:
      "The video's frames have {width} × {height} pixels; the limit is {limit} megapixels. Upload a smaller version.",
  },
  too_many_frames: {
    retryable: false,
    sentence:
      "The job would process {count} frames of the video; the limit is {limit}. {change}, or upload a shorter video.",
  },
  video_stalled: {
    retryable: true,
    sentence:
      "Reading or writing the video stalled. Create a new job; if that fails too, convert the video to MP4 with H.264.",
  },
  video_crashed: {
    retryable: true,
    sentence:
      "FFmpeg crashed while it processed the video. Create a new job; if that fails too, convert the video to MP4 with H.264.",
  },
  preview_failed: {
    retryable: true,
    sentence:
      "The preview could not be encoded. Create a new job; if that fails too, create one without a preview.",
  },
  video_unavailable: {
    retryable: false,
    sentence:
      "This service cannot process videos, because it has no FFmpeg. The operator has to install FFmpeg.",
  },

  engine_crashed: {
    retryable: true,
    sentence: "The inference engine crashed while it processed this task. Create a new job.",
  },
  engine_timeout: {
    retryable: true,
    sentence:
      "A single step of the task, such as one run of the model, took longer than {seconds} seconds and was stopped. Create a new job.",
  },
  model_output_invalid: {
    retryable: true,
    sentence:
      "The model returned an impossible result. Create a new job; if that fails too, the operator has to check the model.",
  },
  disk_full: {
    retryable: true,
    sentence: "The inference service ran out of disk space. Create a new job later.",
  },
  internal_error: {
    retryable: true,
    sentence:
      "The inference service failed unexpectedly. Create a new job; if that fails too, the operator finds the reason in the log.",
  },

  output_refused: {
    retryable: true,
    sentence:
      "Storage refused a result file with status {status}. Create a new job; if that fails too, the operator has to check the storage settings.",
  },
  output_redirected: {
    retryable: false,
    sentence:
      "Storage answered a result file with a redirect, which the inference service never follows. The operator has to check the storage settings.",
  },
  output_unavailable: {
    retryable: true,
    sentence: "A result file could not be written to storage. Create a new job later.",
  },
  output_grant_unavailable: {
    retryable: true,
    sentence: "The inference service received no upload URLs for the results. Create a new job later.",
  },
  output_grant_mismatch: {
    retryable: true,
    sentence:
      "The inference service received upload URLs for the wrong files. The operator has to deploy matching versions of Worker and inference service.",
  },
  storage_origin_refused: {
    retryable: false,
    sentence:
      "The inference service may not upload results to this storage. The operator has to add the storage's origin to the inference service's setting STORAGE_ORIGINS.",
  },

  report_refused: {
    retryable: false,
    sentence:
      "The Worker could not read what the inference service reported about this task. The operator has to deploy matching versions of Worker and inference service.",
  },
  task_refused: {
    retryable: false,
    sentence:
      "The inference service does not know this kind of task: the versions of Worker and inference service differ. The operator has to deploy matching versions.",
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

/** A problem on the wire and in storage, where codes of other versions may occur. */
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

/** The values for the placeholders of a code's sentence. */
export type Particulars<Code extends ProblemCode> = Blanks<(typeof PROBLEMS)[Code]["sentence"]>;

/** Joins several problems, because a task has room for one: the first's code, and all sentences; null for none. */
export function joinProblems(problems: readonly (Problem | null)[]): Problem | null {
  const all = problems.filter((problem) => problem !== null);
  const [first] = all;
  if (first === undefined) return null;
  const message = all.map((problem) => problem.message).join(" ");
  return { code: first.code, message: cutText(message, LONGEST_MESSAGE) };
}

/**
 * The problem with this code, its sentence filled in and cut to the longest message of the wire. It is well-formed for
 * all values, because the Worker refuses a malformed report.
 */
export function problemOf<Code extends ProblemCode>(code: Code, ...[values]: Particulars<Code>): Problem {
  const sentence: string = PROBLEMS[code].sentence;
  return { code, message: cutText(fill(sentence, { ...values }).toWellFormed(), LONGEST_MESSAGE) };
}
