import type { Clip } from "./clip.ts";
import { taskFailure } from "../failures.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { inputArguments, LISTING_ALLOCATION, type ClipInput } from "./input-arguments.ts";
import { tooLong, whyUnread } from "./refusals.ts";

/** An hour at 500 frames per second has fewer packets: a file with more is not a real video. */
const MOST_PACKETS = 2_000_000;

/** AV_PKT_FLAG_KEY, AV_PKT_FLAG_CORRUPT and AV_PKT_FLAG_DISCARD of FFmpeg's libavcodec/packet.h. */
const KEY = 0x1;
const CORRUPT = 0x2;
const DISCARD = 0x4;

/** AV_NOPTS_VALUE of FFmpeg's libavutil/avutil.h: no time. */
const NO_TIME = -(2 ** 63);

export interface FrameTimes extends Pick<Clip, "times"> {
  /** The times of the frames that the file declares as key frames. */
  readonly keyTimes: ReadonlySet<number>;
  /** Whether the file has no presentation times: frames then take their packets' decoding times, in ascending order. */
  readonly untimed: boolean;
}

/** Without decoding: each packet holds one frame. */
const COPY = ["-c", "copy", "-copyinkf", "-copypriorss", "1"];
const DECODE = ["-c:v", "wrapped_avframe", "-fps_mode", "passthrough", "-enc_time_base", "-1"];

/**
 * Lists the presentation times of a clip's frames from its packets; those that an edit list cuts away are flagged.
 *
 * FFmpeg's framecrc muxer writes a line per packet: `stream, dts, pts, duration, size, checksum`, and `F=0x…` unless its
 * flags are those of a plain keyframe; `#tb 0: n/d` before them is the time base.
 *
 * @param seconds the most allowed between the first frame and the last
 * @param decoded whether all frames are decoded, for a codec whose packets may hold frames that are never shown
 * @throws TaskFailure named video_truncated, video_too_long, video_unreadable, video_crashed or video_stalled; the
 *   signal's reason
 */
export async function listTimes(
  ffmpeg: string,
  input: ClipInput,
  seconds: number,
  signal: AbortSignal,
  decoded = false,
): Promise<FrameTimes> {
  const args = decoded
    ? [...inputArguments(input), ...DECODE]
    : [...inputArguments(input, LISTING_ALLOCATION), ...COPY];
  await using run = new FfmpegRun(ffmpeg, [...args, "-f", "framecrc", "-"], { signal });
  const presented: number[] = [];
  const inOrderOfDecoding: number[] = [];
  const keyTimes = new Set<number>();
  let untimed = false;
  let packets = 0;
  let earliest = Infinity;
  let tick = 0;
  for await (const line of run.lines()) {
    const base = /^#tb 0: (\d+)\/(\d+)/.exec(line);
    if (base !== null) tick = Number(base[1]) / Number(base[2]);
    if (line.startsWith("#")) continue;
    const [, dts = NO_TIME, pts = NO_TIME] = line.split(",", 3).map(Number);
    const flags = Number(/F=(0x[0-9A-F]+)/.exec(line)?.[1] ?? KEY);
    if (++packets > MOST_PACKETS)
      throw taskFailure("video_unreadable", { reason: `it has more than ${MOST_PACKETS} frames` });
    if ((flags & CORRUPT) !== 0) throw taskFailure("video_truncated");
    const stamp = pts === NO_TIME ? dts : pts;
    if ((flags & DISCARD) !== 0 || stamp === NO_TIME) continue;
    untimed ||= pts === NO_TIME;
    earliest = Math.min(earliest, stamp);
    if ((stamp - earliest) * tick > seconds) throw tooLong(seconds);
    presented.push(stamp * tick);
    if ((flags & KEY) !== 0) keyTimes.add(stamp * tick);
    inOrderOfDecoding.push(dts * tick);
  }
  await run.finished();
  if (presented.length === 0) throw whyUnread(run.log, input.inputPixels);
  const times = Float64Array.from(untimed ? inOrderOfDecoding : presented).toSorted();
  return { times, keyTimes, untimed };
}
