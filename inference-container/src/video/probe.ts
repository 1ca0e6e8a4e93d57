import type { Clip } from "./clip.ts";
import { hasCues, readContainer } from "./container.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { inputArguments, type ClipInput } from "./input-arguments.ts";
import { listTimes } from "./list-times.ts";
import { frameTooLarge, whyUnread } from "./refusals.ts";
import { canToneMap, type Colours, isHdr } from "./tone-mapping.ts";
import type { VideoWork } from "@segmentation/protocol";

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

interface FirstFrame {
  readonly width: number;
  readonly height: number;
  readonly colours: Colours;
  /** The matrix to take if the file names none and FFmpeg would assume another. */
  readonly colourMatrix: "bt709" | null;
  /** Whether its packets may hold frames that are never shown. */
  readonly hiddenFrames: boolean;
}

/** Untagged video with fewer lines has the colours of standard definition, which FFmpeg assumes anyway. */
const HD_LINES = 720;

const COLOURS =
  /^\[Parsed_showinfo_1 @ \w+\] color_range:\S+ color_space:(\S+) color_primaries:(\S+) color_trc:(\S+)/m;

/** A pixel shape that enlarges by more than this is ignored: no player shows such pixels. */
const WIDEST_PIXEL = 16;

/**
 * Decodes a clip's first frame for its size as shown and its colours. Non-square pixels enlarge the side on which they are
 * longer, as in players.
 *
 * The size comes from the framecrc muxer's lines on standard output (`#dimensions 0: WxH`, `#sar 0: n/d`, then a line per
 * frame). Only the log has the colours and the codec. It also repeats texts from the file, which can forge only these
 * two.
 *
 * @throws TaskFailure that names why no frame could be decoded, or video_stalled; the signal's reason
 */
async function readFirstFrame(ffmpeg: string, input: ClipInput, signal: AbortSignal): Promise<FirstFrame> {
  const args = [
    ["-frames:v", "1", "-vf", "sidedata=mode=delete,showinfo=checksum=0"],
    ["-c:v", "wrapped_avframe", "-f", "framecrc", "-"],
  ].flat();
  await using run = new FfmpegRun(ffmpeg, [...inputArguments(input), ...args], { signal });
  let stated = "";
  for await (const line of run.lines()) stated += `${line}\n`;
  await run.finished();
  const size = /^#dimensions 0: (\d+)x(\d+)$/m.exec(stated);
  if (size === null || !/^0,/m.test(stated)) throw whyUnread(run.log, input.inputPixels);
  const [width = 0, height = 0] = size.slice(1).map(Number);
  const [across = 0, down = 0] = /^#sar 0: (\d+)\/(\d+)$/m.exec(stated)?.slice(1).map(Number) ?? [];
  const stretch = across > 0 && down > 0 ? across / down : 1;
  const believed = stretch <= WIDEST_PIXEL && stretch >= 1 / WIDEST_PIXEL ? stretch : 1;
  const [, matrix = "", primaries = "", transfer = ""] = COLOURS.exec(run.log) ?? [];
  return {
    width: Math.round(width * Math.max(believed, 1)),
    height: Math.round(height / Math.min(believed, 1)),
    colours: { matrix, primaries, transfer },
    colourMatrix: matrix === "unknown" && Math.min(width, height) >= HD_LINES ? "bt709" : null,
    // RFC 6386, section 9.1: show_frame; later codecs pack such a frame with one that is shown.
    hiddenFrames: /^ {2}Stream #0:\d+ -> #0:0 \(vp8 /m.test(run.log),
  };
}
