import { setImmediate as turn } from "node:timers/promises";
import { AnnouncedFrames, announceFrames, toFrames } from "./frame-stream.ts";
import type { Clip } from "./clip.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import {
  frameSelection,
  nearestFrame,
  type Pass,
  passSelection,
  planPasses,
  TICKS,
} from "./frame-selection.ts";
import { inputArguments } from "./input-arguments.ts";
import type { Size } from "../size.ts";
import { toneMapping } from "./tone-mapping.ts";
import { isShortOfMemory, whyUnread } from "./refusals.ts";

/** A decoded frame of a clip. */
export interface Frame extends DecodedFrame {
  /** Counts the frames that were yielded, from 0. */
  readonly sampleIdx: number;
}

interface DecodedFrame {
  /** Its place among the clip's frames, from 0. */
  readonly frameIdx: number;
  /** Its presentation time in seconds. */
  readonly timeSec: number;
  /** Three sRGB bytes per pixel, row by row, as a player shows it: `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
}

/** What is decoded, and for whom. */
interface Decoding {
  readonly ffmpeg: string;
  readonly clip: Clip;
  readonly size: Size;
  readonly signal: AbortSignal;
}

/**
 * Decodes frames of a clip, scaled to one size. At most one frame is read ahead of the consumer, and FFmpeg is gone when
 * the generator ends or is returned. A damaged frame that the decoder drops is left out.
 *
 * Between frames that lie far apart nothing is decoded, unless that turns out to give other frames than decoding the
 * whole clip would: from there on everything is decoded.
 *
 * @param indexes the frames, ascending and distinct
 * @throws TaskFailure named video_unreadable if none of them could be decoded or memory did not suffice, video_crashed or video_stalled; the
 *   signal's reason
 */
export async function* readFrames(
  ffmpeg: string,
  clip: Clip,
  indexes: readonly number[],
  size: Size,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const decoding = { ffmpeg, clip, size, signal };
  const passes = planPasses(clip.times, clip.keys, indexes);
  let sampleIdx = 0;
  let wanted = 0;
  for (const pass of passes) {
    wanted += pass.indexes.length;
    for await (const frame of readPass(decoding, pass)) yield { ...frame, sampleIdx: sampleIdx++ };
    if (sampleIdx < wanted) break;
  }
  const rest = indexes.slice(sampleIdx);
  for await (const frame of readThrough(decoding, rest, sampleIdx === 0))
    yield { ...frame, sampleIdx: sampleIdx++ };
}

/** Decodes the clip from its start to the last of the frames. @param none whether no frame of it could be decoded before */
async function* readThrough(
  decoding: Decoding,
  indexes: readonly number[],
  none: boolean,
): AsyncGenerator<DecodedFrame> {
  if (indexes.length === 0) return;
  const { clip } = decoding;
  const announced = new AnnouncedFrames("selected");
  await using run = start(decoding, [], frameSelection(clip.times, indexes), announced);
  let next = 0;
  for await (const frame of decoded(decoding, run, announced)) {
    while ((indexes[next] ?? Infinity) < frame.frameIdx) next++;
    // The expression may select more than requested, and damaged times may give two frames the same place.
    if (indexes[next] !== frame.frameIdx) continue;
    next++;
    yield frame;
    if (next === indexes.length) return;
  }
  await run.finished();
  if ((none && next === 0) || isShortOfMemory(run.log))
    throw whyUnread(run.log, clip.decoding.input.inputPixels);
}

/**
 * Decodes a pass's frames, and stops early if a decoder that began at the file's start might give others: if this one
 * begins elsewhere than the file's index says, if its first frame is not a key frame, if a frame is missing, or if it
 * finds errors, since its frames may then depend on earlier ones.
 */
async function* readPass(decoding: Decoding, pass: Pass): AsyncGenerator<DecodedFrame> {
  const announced = new AnnouncedFrames("selected");
  await using run = start(decoding, seekTo(pass), passSelection(decoding.clip.times, pass), announced);
  const expected = pass.key === null ? [] : [pass.key];
  const wanted = [...pass.indexes];
  for await (const frame of decoded(decoding, run, announced)) {
    if (frame.frameIdx !== (expected.shift() ?? Math.min(frame.frameIdx, wanted[0] ?? -1))) return;
    if (frame.frameIdx !== wanted[0]) continue;
    if (pass.key !== null && (await hasErrors(run))) return;
    wanted.shift();
    yield frame;
    if (wanted.length === 0) return;
  }
  await run.finished();
}

const seekTo = ({ key, seconds }: Pass): string[] => [
  "-loglevel",
  "repeat+error",
  // Times stay those of the whole file, and what lies before the time is given too.
  ...(key === null ? [] : ["-copyts", "-start_at_zero", "-noaccurate_seek", "-ss", seconds.toFixed(6)]),
];

/**
 * Errors that do not concern the frames: the demuxer's, about the file as a whole; sound that is not decoded; and
 * H.264's order to forget a frame from before an open group of pictures, which the decoder never had.
 */
const HARMLESS = /^\[(?:mov|matroska|avi)\b|not on whitelist|mmco: unref short failure|^$/;

/** Whether FFmpeg has logged errors about the frames that it has given so far. */
const hasErrors = async (run: FfmpegRun): Promise<boolean> =>
  (await logUpToNow(run)).split("\n").some((line) => !HARMLESS.test(line));

/** The log with whatever concerns the frames that FFmpeg has given so far. */
async function logUpToNow(run: FfmpegRun): Promise<string> {
  // FFmpeg logs an error before it writes the frame. After one full turn of the event loop, everything that was in
  // the log's pipe has been read.
  await turn();
  await turn();
  return run.log;
}

/** Starts FFmpeg on the frames that an expression selects. @param options for reading the input */
function start(
  { ffmpeg, clip, size, signal }: Decoding,
  options: readonly string[],
  selection: string,
  announced: AnnouncedFrames,
): FfmpegRun {
  const args = [
    options,
    inputArguments(clip.decoding.input),
    ["-vf", filters(clip, selection, size), "-fps_mode", "passthrough"],
    ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
  ].flat();
  return new FfmpegRun(ffmpeg, args, { signal, onSide: announced.hear });
}

/** The frames that FFmpeg gives, each with its place in the clip. */
async function* decoded(
  { clip, size }: Decoding,
  run: FfmpegRun,
  announced: AnnouncedFrames,
): AsyncGenerator<DecodedFrame> {
  for await (const rgb of toFrames(run.output(), 3 * size.width * size.height)) {
    const ticks = await run.waitFor(announced.next());
    if (ticks === null) throw new Error("FFmpeg gave a frame that it did not announce.");
    if (isShortOfMemory(await logUpToNow(run))) throw whyUnread(run.log, clip.decoding.input.inputPixels);
    const frameIdx = nearestFrame(clip.times, ticks);
    yield { frameIdx, timeSec: clip.times[frameIdx] ?? 0, rgb };
  }
}

/**
 * Announces each decoded frame on file descriptor 3, which shows that decoding continues, and again if it is selected. Times
 * of a file without presentation times count from its first frame: the decoder's times are late by its delay.
 */
function filters(clip: Clip, selection: string, { width, height }: Size): string {
  const { colourMatrix, toneMapped, untimed } = clip.decoding;
  const toned = clip.hdr !== null && toneMapped ? toneMapping(clip.hdr) : [];
  const matrix = colourMatrix === null || toned.length > 0 ? "" : `:in_color_matrix=${colourMatrix}`;
  const first = Math.round((clip.times[0] ?? 0) * TICKS);
  return [
    `settb=1/${TICKS}`,
    ...(untimed ? [`setpts=PTS-STARTPTS+${first}`] : []),
    announceFrames("decoded"),
    `select='${selection}'`,
    announceFrames("selected"),
    `scale=${width}:${height}${matrix}`,
    ...toned,
  ].join(",");
}
