import { taskFailure } from "../failures.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { inputArguments, LISTING_ALLOCATION, type ClipInput } from "./input-arguments.ts";
import { tooLong, whyUnread } from "./refusals.ts";

/** An hour at 500 frames per second has fewer packets: a file with more is not a real video. */
const MOST_PACKETS = 2_000_000;

/** AV_PKT_FLAG_KEY, AV_PKT_FLAG_CORRUPT and AV_PKT_FLAG_DISCARD of FFmpeg's libavcodec/packet.h. */
const [KEY, CORRUPT, DISCARD] = [0x1, 0x2, 0x4];

/** FFmpeg's messages about a Matroska file that it can't read to its end. */
const DAMAGED = /EBML number|File ended prematurely|invalid as first byte|Element at .* ending at/;

/** AV_NOPTS_VALUE of FFmpeg's libavutil/avutil.h: no time. */
const NO_TIME = -(2 ** 63);

/** A video's frames, or its packets. */
export interface Listing {
  /** Presentation times in order, in ticks of the file. */
  readonly stamps: Float64Array;
  /** Seconds per tick. */
  readonly tick: number;
  /** The times of those that the file declares as key frames. */
  readonly keys: ReadonlySet<number>;
  /** The end of the last one, in ticks. */
  readonly end: number;
  /** True if the file has presentation times. Others are decoding times. */
  readonly isTimed: boolean;
  /**
   * True if packets come in the order of a decoder that can begin with the first, all have different times, and none is
   * cut away.
   */
  readonly isPlain: boolean;
  /** True if the file could not be read to its end. */
  readonly isDamaged: boolean;
  /** The number of packets the decoder refused. */
  readonly refused: number;
}

/** Without decoding, FFmpeg would move presentation times to fit decoding times, so decoding times get low values. */
const LOW = "setts=pts=PTS:dts=if(eq(PTS\\,NOPTS)\\,DTS\\,N-1e12)";
const COPY = ["-c", "copy", "-copyinkf", "-copypriorss", "1", "-bsf:v", LOW];
const DECODE = ["-c:v", "wrapped_avframe", "-fps_mode", "passthrough", "-enc_time_base", "-1"];

/**
 * Lists the presentation times of a video's packets, or of its frames in the order in which they are decoded.
 *
 * FFmpeg's framecrc muxer writes a line for each: `stream, dts, pts, duration, size, checksum`, and `F=0x…` unless its
 * flags are those of a plain keyframe; `#tb 0: n/d` before them is the time base.
 *
 * @param seconds the most allowed between the first and the last
 * @throws TaskFailure named video_truncated, video_too_long, video_unreadable, video_crashed or video_stalled; the
 *   signal's reason
 */
export async function listTimes(
  ffmpeg: string,
  input: ClipInput,
  seconds: number,
  signal: AbortSignal,
  decoded = false,
): Promise<Listing> {
  const args = decoded ? [inputArguments(input), DECODE] : [inputArguments(input, LISTING_ALLOCATION), COPY];
  await using run = new FfmpegRun(ffmpeg, [...args.flat(), "-f", "framecrc", "-"], { signal });
  const stamps: number[] = [];
  const keys = new Set<number>();
  let [packets, tick, end, isTimed, isPlain] = [0, 0, -Infinity, true, true];
  for await (const line of run.lines()) {
    const base = /^#tb 0: (\d+)\/(\d+)/.exec(line);
    if (base !== null) tick = Number(base[1]) / Number(base[2]);
    if (line.startsWith("#")) continue;
    const [, dts = NO_TIME, pts = NO_TIME, duration = 0] = line.split(",", 4).map(Number);
    const flags = Number(/F=(0x[0-9A-F]+)/.exec(line)?.[1] ?? KEY);
    if (++packets > MOST_PACKETS)
      throw taskFailure("video_unreadable", { reason: `it has more than ${MOST_PACKETS} frames` });
    if ((flags & CORRUPT) !== 0) throw taskFailure("video_truncated");
    const stamp = pts === NO_TIME ? dts : pts;
    isTimed &&= pts !== NO_TIME;
    isPlain &&=
      (flags & DISCARD) === 0 && (stamps.length > 0 || (flags & KEY) !== 0) && stamp >= (stamps[0] ?? stamp);
    if ((flags & DISCARD) !== 0 || stamp === NO_TIME) continue;
    stamps.push(stamp);
    if ((flags & KEY) !== 0) keys.add(stamp);
    end = Math.max(end, stamp + duration);
  }
  await run.finished();
  if (stamps.length === 0) throw whyUnread(run.log, input.inputPixels);
  // A decoder gives frames in order. Where wrong times contradict that, a frame comes no earlier than the one before.
  if (decoded)
    for (const [at, stamp] of stamps.entries()) stamps[at] = Math.max(stamp, stamps[at - 1] ?? stamp);
  const sorted = Float64Array.from(stamps).toSorted();
  if (((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) * tick > seconds) throw tooLong(sorted, tick, seconds);
  isPlain &&= isTimed && new Set(stamps).size === stamps.length;
  const isDamaged = DAMAGED.test(run.log);
  return { stamps: sorted, tick, keys, end, isTimed, isPlain, isDamaged, refused: run.refusedPackets };
}
