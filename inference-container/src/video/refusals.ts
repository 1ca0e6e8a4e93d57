import { type Problem, problemOf } from "@segmentation/protocol";
import { taskFailure, TaskFailure } from "../failures.ts";
import { MEMORY_GIB } from "./ffmpeg-run.ts";
import { isReadableCodec } from "./input-arguments.ts";

/**
 * The failure of a video that is too long, or seems so by one wrong time.
 * @param stamps of its frames, ascending @param tick seconds per unit of these @param seconds the limit
 */
export function tooLong(stamps: Float64Array, tick: number, seconds: number): TaskFailure {
  const isJump = stamps.some((stamp, at) => (stamp - (stamps[at - 1] ?? stamp)) * tick > seconds);
  const reason = "the times of its frames jump, as if a clock had been set during the recording";
  if (isJump) return taskFailure("video_unreadable", { reason });
  const limit = seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
  return taskFailure("video_too_long", { limit });
}

const oversized = (width: number, height: number, limit: number): Problem =>
  problemOf("frame_too_large", { width, height, limit: (limit / 1e6).toFixed(1) });

/** The failure of a video whose frames are too large. @param width in pixels @param height in pixels @param limit in pixels */
export const frameTooLarge = (width: number, height: number, limit: number): TaskFailure =>
  new TaskFailure(oversized(width, height, limit));

/** The failure of a video that FFmpeg could not open or decode, derived from its log, which becomes the cause. */
export const whyUnread = (log: string, pixelLimit: number): TaskFailure =>
  new TaskFailure(byLog(log, pixelLimit), log);

/** Decoders that get no memory for a frame drop it, and continue. */
const MEMORY = /get_buffer\(\) failed|(?:Cannot|Could not) allocate memory|Resource temporarily unavailable/;

/** True if FFmpeg's log reports a lack of memory. A damaged frame may announce an impossible size. */
export const isShortOfMemory = (log: string): boolean =>
  MEMORY.test(log) && !/Picture size \S+ (?:exceeds|is invalid)/.test(log);

/** FFmpeg's codec name of the first video stream in its log; "none" is a codec that it doesn't know. */
function statedCodec(log: string): string | undefined {
  return /^ +Stream #.*: Video: ([\w-]+)(?!.*attached pic)/m.exec(log)?.[1];
}

function byLog(log: string, pixelLimit: number): Problem {
  if (/moov atom not found|partial file|File ended prematurely/.test(log))
    return problemOf("video_truncated");
  if (/matches no streams/.test(log)) return problemOf("video_stream_missing");
  const size = /Picture size (\d+)x(\d+) exceeds/.exec(log);
  if (size !== null) return oversized(Number(size[1]), Number(size[2]), pixelLimit);
  const codec = statedCodec(log);
  if (codec !== undefined && (!isReadableCodec(codec) || /no decoder found/.test(log))) {
    const name = codec === "none" ? "an unknown codec" : `the codec ${codec}`;
    return problemOf("video_codec_unsupported", { codec: name });
  }
  if (isShortOfMemory(log)) {
    const reason = `it takes more memory to decode than the ${MEMORY_GIB} GiB that a video may have`;
    return problemOf("video_unreadable", { reason });
  }
  if (/^ {2}Stream #0:\d+ -> #0:0 \(copy\)/m.test(log) && !log.includes("Could not write header"))
    return problemOf("video_unreadable", { reason: "it has no frames" });
  return problemOf("video_unreadable", { reason: "it is damaged, and none of its frames can be decoded" });
}
