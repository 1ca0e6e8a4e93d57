import type { Clip } from "./clip.ts";
import { readContainer } from "./container.ts";
import { readFirstFrame } from "./first-frame.ts";
import { listDecodedTimes } from "./list-decoded-times.ts";
import { listTimes } from "./list-times.ts";
import { frameTooLarge } from "./refusals.ts";

export interface ClipLimits {
  /** Of one frame. */
  readonly inputPixels: number;
  /** From the first frame to the last. */
  readonly seconds: number;
}

/**
 * Finds a clip's size and the time of each of its frames. Only the first frame is decoded (all of a VP8 clip); whatever
 * else would stop the task is found here, before its work begins.
 *
 * @throws TaskFailure named video_unreadable, video_truncated, video_stream_missing, video_format_unsupported,
 *   video_codec_unsupported, video_too_long, frame_too_large, video_crashed or video_stalled; the signal's reason
 */
export async function probeClip(
  ffmpeg: string,
  path: string,
  limits: ClipLimits,
  signal: AbortSignal,
): Promise<Clip> {
  const input = { path, container: await readContainer(path, signal), inputPixels: limits.inputPixels };
  const { width, height, colourMatrix, hiddenFrames } = await readFirstFrame(ffmpeg, input, signal);
  if (width * height > limits.inputPixels) throw frameTooLarge(width, height, limits.inputPixels);
  const list = hiddenFrames ? listDecodedTimes : listTimes;
  const { times, untimed } = await list(ffmpeg, input, limits.seconds, signal);
  return { width, height, times, decoding: { input, colourMatrix, untimed } };
}
