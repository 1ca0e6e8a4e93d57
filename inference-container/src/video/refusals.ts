import { refused, type TaskFailure } from "../tasks/failure.ts";
import type { Size } from "./size.ts";
import { isReadableCodec, MOST_STREAMS } from "./input-arguments.ts";

export const truncated = (): TaskFailure =>
  refused("video_truncated", "The video is cut short: a part of it is missing. Upload the whole file.");

export const tooManyElements = (): TaskFailure =>
  refused(
    "video_unreadable",
    "The file is cut into too many parts to be read. Export it again, as one ordinary file.",
  );

/** @param most that a clip may have */
export const tooManyPackets = (most: number): TaskFailure =>
  refused(
    "video_unreadable",
    `The file has more than ${most} frames, more than are read. Export it at an ordinary frame rate, or send it in parts.`,
  );

/** @param seconds that a clip may have */
export function tooLong(seconds: number): TaskFailure {
  const limit = seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
  return refused(
    "video_too_long",
    `The video is longer than ${limit}, which is the limit. Cut it, or send it in parts.`,
  );
}

/** @param size of the frames, null where it isn't known @param limit in pixels */
export function frameTooLarge(size: Size | null, limit: number): TaskFailure {
  const stated = size === null ? "too large" : `${size.width} × ${size.height}`;
  return refused(
    "frame_too_large",
    `The video's frames are ${stated}; the limit is ${(limit / 1e6).toFixed(1)} megapixels. Send a smaller version.`,
  );
}

/** The refusal of a clip that FFmpeg could not open or decode, by what it said; its log is the cause. */
export function whyUnread(log: string, pixelLimit: number): TaskFailure {
  const failure = byLog(log, pixelLimit);
  failure.cause = log;
  return failure;
}

/** FFmpeg's name of the codec of the first video stream that its log tells of; "none" is one that it doesn't know. */
function statedCodec(log: string): string | undefined {
  return /^ +Stream #.*: Video: ([\w-]+)(?!.*attached pic)/m.exec(log)?.[1];
}

function byLog(log: string, pixelLimit: number): TaskFailure {
  if (/moov atom not found|partial file|File ended prematurely/.test(log)) {
    return truncated();
  }
  if (/exceeds max_streams/.test(log)) {
    return refused(
      "video_unreadable",
      `The file has more than ${MOST_STREAMS} tracks. Export it with the picture and its sound alone.`,
    );
  }
  if (/matches no streams/.test(log)) {
    return refused(
      "video_stream_missing",
      "The file has no video in it, only sound or pictures. Send a video.",
    );
  }
  const tooLarge = /Picture size (\d+)x(\d+) exceeds/.exec(log);
  if (tooLarge !== null) {
    return frameTooLarge({ width: Number(tooLarge[1]), height: Number(tooLarge[2]) }, pixelLimit);
  }
  const codec = statedCodec(log);
  if (codec !== undefined && (!isReadableCodec(codec) || /no decoder found/.test(log))) {
    const name = codec === "none" ? "an unknown codec" : `the codec ${codec}`;
    return refused(
      "video_codec_unsupported",
      `The video is encoded with ${name}, which can't be read. Encode it as H.264, H.265, VP9 or AV1.`,
    );
  }
  return refused("video_unreadable", "The video is damaged: no frame of it can be decoded. Export it again.");
}
