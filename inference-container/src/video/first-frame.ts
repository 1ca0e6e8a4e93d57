import { FfmpegRun } from "./ffmpeg-run.ts";
import { inputArguments, type ClipInput } from "./input-arguments.ts";
import { statedCodec, whyUnread } from "./refusals.ts";

export interface FirstFrame {
  readonly width: number;
  readonly height: number;
  readonly colourMatrix: "bt709" | null;
  /** Whether its packets may hold frames that are never shown. */
  readonly hiddenFrames: boolean;
}

/** Untagged video of fewer lines is in the colours of standard definition, which FFmpeg assumes anyhow. */
const HD_LINES = 720;

/** Enlarging by more than this is no pixel shape that anything shows. */
const WIDEST_PIXEL = 16;

/**
 * Decodes a clip's first frame for its size as shown and for what its colours are. A pixel that isn't square enlarges
 * the side that it is longer in, as players do.
 *
 * @throws TaskFailure that names why no frame could be decoded, or video_stalled; the signal's reason
 */
export async function readFirstFrame(
  ffmpeg: string,
  input: ClipInput,
  signal: AbortSignal,
): Promise<FirstFrame> {
  const args = ["-frames:v", "1", "-vf", "sidedata=mode=delete,showinfo=checksum=0", "-f", "null", "-"];
  await using run = new FfmpegRun(ffmpeg, [...inputArguments(input), ...args], { signal });
  await run.finished();
  const shape = /^\[Parsed_showinfo.* sar:(\d+)\/(\d+) s:(\d+)x(\d+) /m.exec(run.log);
  if (shape === null) throw whyUnread(run.log, input.inputPixels);
  const [across = 1, down = 1, width = 0, height = 0] = shape.slice(1).map(Number);
  const stretch = across > 0 && down > 0 ? across / down : 1;
  const believed = stretch <= WIDEST_PIXEL && stretch >= 1 / WIDEST_PIXEL ? stretch : 1;
  const untagged = /^\[Parsed_showinfo.* color_space:unknown/m.test(run.log);
  return {
    width: Math.round(width * Math.max(believed, 1)),
    height: Math.round(height / Math.min(believed, 1)),
    colourMatrix: untagged && Math.min(width, height) >= HD_LINES ? "bt709" : null,
    // RFC 6386, section 9.1: show_frame; later codecs pack such a frame with one that is shown.
    hiddenFrames: statedCodec(run.log) === "vp8",
  };
}
