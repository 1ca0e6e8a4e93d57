import type { VideoWork } from "@segmentation/protocol";
import type { Clip } from "./clip.ts";
import { hasCues, readContainer } from "./container.ts";
import { readFirstFrame } from "./first-frame.ts";
import { listTimes } from "./list-times.ts";
import { frameTooLarge } from "./refusals.ts";
import { canToneMap, isHdr } from "./tone-mapping.ts";

/**
 * Finds a clip's size and the time of each of its frames. Only the first frame is decoded, or all of a VP8 clip; whatever
 * else would stop the task is found here, before its work begins.
 *
 * @throws TaskFailure named video_unreadable, video_truncated, video_stream_missing, video_format_unsupported,
 *   video_codec_unsupported, video_too_long, frame_too_large, video_crashed or video_stalled; the signal's reason
 */
export async function probeClip(
  ffmpeg: string,
  path: string,
  limits: Pick<VideoWork["limits"], "inputPixels" | "seconds">,
  signal: AbortSignal,
): Promise<Clip> {
  const input = { path, container: await readContainer(path, signal), inputPixels: limits.inputPixels };
  const { seconds } = limits;
  const listed = await listTimes(ffmpeg, input, seconds, signal);
  const first = await readFirstFrame(ffmpeg, input, signal);
  const { width, height, colours, colourMatrix, hiddenFrames } = first;
  if (width * height > limits.inputPixels) throw frameTooLarge(width, height, limits.inputPixels);
  const { times } = hiddenFrames ? await listTimes(ffmpeg, input, seconds, signal, true) : listed;
  const { keyTimes, untimed } = listed;
  const isIndexed = !untimed && (input.container !== "matroska" || (await hasCues(path)));
  const keys = isIndexed ? [...times.keys()].filter((at) => keyTimes.has(times[at] ?? -1)) : [];
  const hdr = isHdr(colours) ? colours : null;
  const toneMapped = hdr !== null && (await canToneMap(ffmpeg, signal));
  const decoding = { input, colourMatrix, toneMapped, untimed };
  return { width, height, times, keys, hdr, decoding };
}
