import { type Problem, problemOf, type VideoWork } from "@segmentation/protocol";
import type { Clip } from "./clip.ts";
import { hasCues, readContainer } from "./container/container.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { FrameList } from "./frame-list.ts";
import { readHeader } from "./container/header.ts";
import { ALPHA_CODECS, inputArguments, type ClipInput } from "./input-arguments.ts";
import { type Listing, listTimes } from "./list-times.ts";
import { frameTooLarge, whyUnread } from "./refusals.ts";
import { canToneMap, type Colours, isHdr } from "./tone-mapping.ts";
import type { Header, VideoTrack } from "./container/tracks.ts";

/**
 * Finds a video's size and the time of each of its frames. Decodes only the first frame, or all where a packet might be
 * no frame. Finds every other fault that would stop the task, before its work begins.
 *
 * @throws TaskFailure named video_unreadable, video_truncated, video_encrypted, video_stream_missing,
 * video_format_unsupported, video_codec_unsupported, video_too_long, frame_too_large, video_crashed or video_stalled;
 * the signal's reason
 */
export async function probeClip(
  ffmpeg: string,
  path: string,
  limits: Pick<VideoWork["limits"], "inputPixels" | "seconds">,
  signal: AbortSignal,
): Promise<Clip> {
  const container = await readContainer(path, signal);
  const header = await readHeader(path, container, signal);
  const { inputPixels, seconds } = limits;
  const streams = header.videos.length + header.sounds + header.others;
  const file = { path, container, inputPixels, streams: Math.max(streams, LEAST_STREAMS) };
  const { track, listed } = await chooseTrack(ffmpeg, file, header.videos, seconds, signal);
  const { turn, hasAlphaLayer } = track;
  const first = await readFirstFrame(ffmpeg, { ...file, track: track.specifier }, turn, signal);
  const { width, height, colours, codec, colourMatrix } = first;
  if (width * height > inputPixels) throw frameTooLarge(width, height, inputPixels);
  const alphaCodec = hasAlphaLayer ? ALPHA_CODECS.find((name) => name === codec) : undefined;
  const input: ClipInput = {
    ...file,
    track: track.specifier,
    ...(alphaCodec !== undefined && { alphaCodec }),
  };
  const frames = new FrameList(input, seconds, listed);
  if (!listed.isPlain || container === "avi" || !first.isFramePerPacket)
    await frames.decode(ffmpeg, codec, signal);
  const keys = container !== "matroska" || (await hasCues(path)) ? frames.keys() : [];
  const hdr = isHdr(colours) ? colours : null;
  const toneMapped = hdr !== null && (await canToneMap(ffmpeg, signal));
  const hasAlpha = alphaCodec !== undefined || first.hasAlpha;
  const { stamps, end: lastEnd } = frames;
  const decoding = { input, codec, frames, stamps, turn, hasAlpha, colourMatrix, toneMapped };
  const end = Math.max(lastEnd, header.seconds ?? 0);
  const notices = [...severalVideos(header, first), ...earlyEnd(header, container, listed, lastEnd)];
  return { width, height, times: frames.times(), end, keys, hdr, notices, decoding };
}

/** FFmpeg finds tracks that this project doesn't. */
const LEAST_STREAMS = 20;

/** The first track with more than one frame: players show no still before a video. If there is none, the first. */
async function chooseTrack(
  ffmpeg: string,
  file: Omit<ClipInput, "track" | "alphaCodec">,
  videos: readonly VideoTrack[],
  seconds: number,
  signal: AbortSignal,
): Promise<{ track: VideoTrack; listed: Listing }> {
  let chosen: { track: VideoTrack; listed: Listing } | undefined;
  for (const track of videos) {
    if (chosen !== undefined && track.isEnabled !== chosen.track.isEnabled) break;
    const listed = await listTimes(ffmpeg, { ...file, track: track.specifier }, seconds, signal);
    if (listed.stamps.length > 1) return { track, listed };
    chosen ??= { track, listed };
  }
  if (chosen === undefined) throw new Error("A header has no video track.");
  return chosen;
}

/** The notice for a file with several videos that players can show. */
function severalVideos({ videos }: Header, { width, height }: FirstFrame): Problem[] {
  const count = videos.filter(({ isEnabled }) => isEnabled).length;
  return count > 1 ? [problemOf("video_track_chosen", { count, width, height })] : [];
}

/** A header may round its length, or count a long last frame. */
const LEAST_GAP_SECONDS = 1;

/** The notice for a file that announces more than its frames, or can't be read to its end. */
function earlyEnd(
  { seconds, sounds, others }: Header,
  container: ClipInput["container"],
  { isDamaged, stamps, tick }: Listing,
  end: number,
): Problem[] {
  // The index of an MP4 lists all frames.
  if (container === "mov") return [];
  const frame = (((stamps.at(-1) ?? 0) - (stamps[0] ?? 0)) * tick) / stamps.length;
  const gap = (seconds ?? Infinity) - end;
  const isEarly = isDamaged
    ? gap > 2 * frame
    : gap > LEAST_GAP_SECONDS && sounds + others === 0 && seconds !== null;
  if (!isEarly) return [];
  const announced =
    seconds === null
      ? "the file is damaged or cut there"
      : `the file announces ${seconds.toFixed(2)} seconds`;
  return [problemOf("video_ends_early", { end: end.toFixed(2), announced })];
}

interface FirstFrame {
  readonly width: number;
  readonly height: number;
  readonly colours: Colours;
  /** FFmpeg's name of the codec. */
  readonly codec: string;
  readonly hasAlpha: boolean;
  /** The matrix to take if the file names none and FFmpeg would assume another. */
  readonly colourMatrix: "bt709" | null;
  /** True if each packet holds one frame, unless it is damaged. */
  readonly isFramePerPacket: boolean;
}

/**
 * Codecs with a frame in each packet. VP8 may have frames that are never shown (RFC 6386, section 9.1: show_frame),
 * which later codecs pack with a visible frame; MPEG-4 has packets that only repeat a frame.
 */
const FRAME_PER_PACKET = new Set(["h264", "hevc", "vp9", "av1", "mjpeg", "prores"]);

/** Untagged video with fewer lines has the colors of standard definition, which FFmpeg assumes anyway. */
const HD_LINES = 720;

const COLOURS =
  /^\[Parsed_showinfo_1 @ \w+\] color_range:\S+ color_space:(\S+) color_primaries:(\S+) color_trc:(\S+)/m;

/** The pixels' format, and P for a progressive picture: others may be two fields, in a packet each. */
const PIXELS = /^\[Parsed_showinfo_1 @ \w+\] n: .* fmt:(\S+) .* i:(\S)/m;

/** FFmpeg's pixel formats with transparency. */
const ALPHA = /^(?:yuva|gbrap|[rgb]{3}a|a[rgb]{3}|ya|pal8)/;

/** A pixel shape that enlarges by more than this is ignored: no player shows such pixels. */
const WIDEST_PIXEL = 16;

/**
 * Decodes a video's first frame for its displayed size and its colors. Non-square pixels enlarge the side on which they
 * are longer, as in players.
 *
 * The size comes from the framecrc muxer's lines on standard output (`#dimensions 0: WxH`, `#sar 0: n/d`, then a line
 * per frame). Only the log has the colors and the codec. It also repeats texts from the file, which can forge only
 * these two.
 *
 * @throws TaskFailure with the reason why no frame could be decoded, or video_stalled; the signal's reason
 */
async function readFirstFrame(
  ffmpeg: string,
  input: ClipInput,
  turn: readonly string[],
  signal: AbortSignal,
): Promise<FirstFrame> {
  const args = [
    ["-frames:v", "1", "-vf", ["sidedata=mode=delete", "showinfo=checksum=0", ...turn].join(",")],
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
  const [, format = "", scan = ""] = PIXELS.exec(run.log) ?? [];
  const [, codec = ""] = /^ {2}Stream #0:\d+ -> #0:0 \((\w+) /m.exec(run.log) ?? [];
  const [, matrix = "", primaries = "", transfer = ""] = COLOURS.exec(run.log) ?? [];
  return {
    width: Math.round(width * Math.max(believed, 1)),
    height: Math.round(height / Math.min(believed, 1)),
    colours: { matrix, primaries, transfer },
    colourMatrix: matrix === "unknown" && Math.min(width, height) >= HD_LINES ? "bt709" : null,
    codec,
    hasAlpha: ALPHA.test(format),
    isFramePerPacket: FRAME_PER_PACKET.has(codec) && scan === "P",
  };
}
