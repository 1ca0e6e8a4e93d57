import { setImmediate as wholeTurn } from "node:timers/promises";
import type { Size } from "@segmentation/masks";
import { type Announced, AnnouncedFrames, announceFrames, toFrames } from "./frame-stream.ts";
import type { Clip } from "./clip.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { frameAt, frameSelection, type Pass, passSelection, planPasses } from "./select-filter.ts";
import { inputArguments } from "./input-arguments.ts";
import { toneMapping } from "./tone-mapping.ts";
import { isShortOfMemory, whyUnread } from "./refusals.ts";

/** A decoded frame of a video. */
export interface Frame extends DecodedFrame {
  /** Counts the frames that were yielded, from 0. */
  readonly sampleIdx: number;
}

interface DecodedFrame {
  /** Its place among the video's frames, from 0. */
  readonly frameIdx: number;
  /** Its presentation time in seconds. */
  readonly timeSec: number;
  /** Three sRGB bytes per pixel, row by row, as a player shows it: `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
}

/** Context of decoding a video. */
interface Decoding {
  readonly ffmpeg: string;
  readonly clip: Clip;
  readonly size: Size;
  readonly signal: AbortSignal;
}

/**
 * Decodes frames of a video, scaled to one size. Reads at most one frame ahead of the consumer, and ends FFmpeg when the
 * generator ends or is returned.
 *
 * Decodes nothing between frames that lie far apart, unless that gives other frames than decoding the whole video would:
 * from there on it decodes everything. If the decoded frames differ from the video's list, it lists the video again: each
 * remaining frame is then the first one at or after its time.
 *
 * @param indexes the frames, as indexes into the video's times, ascending and distinct
 * @throws TaskFailure named video_unreadable if memory did not suffice, or if none of the frames, or less than half of
 * the video, could be decoded; named video_crashed or video_stalled; the signal's reason
 */
export async function* readFrames(
  ffmpeg: string,
  clip: Clip,
  indexes: readonly number[],
  size: Size,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const decoding = { ffmpeg, clip, size, signal };
  const { frames, codec } = clip.decoding;
  let sampleIdx = 0;
  let wanted = 0;
  for (const pass of isListedAnew(clip) ? [] : planPasses(clip.times, clip.keys, indexes)) {
    wanted += pass.indexes.length;
    for await (const frame of readPass(decoding, pass)) yield { ...frame, sampleIdx: sampleIdx++ };
    if (sampleIdx < wanted) break;
  }
  if (!frames.isDecoded)
    for await (const frame of readThrough(decoding, indexes.slice(sampleIdx)))
      yield { ...frame, sampleIdx: sampleIdx++ };
  if (sampleIdx === indexes.length) return;
  await frames.decode(ffmpeg, codec, signal);
  for await (const frame of readThrough(decoding, inNewList(clip, indexes.slice(sampleIdx))))
    yield { ...frame, sampleIdx: sampleIdx++ };
}

/** True if a video's frames have turned out to differ from its times. */
const isListedAnew = ({ decoding }: Clip): boolean => decoding.frames.stamps !== decoding.stamps;

/** The frames that players show from the times of these on. */
function inNewList(clip: Clip, indexes: readonly number[]): readonly number[] {
  if (!isListedAnew(clip)) return indexes;
  const { frames, stamps: former } = clip.decoding;
  const { stamps } = frames;
  let at = 0;
  const found = indexes.map((index) => {
    while (at < stamps.length && (stamps[at] ?? 0) < (former[index] ?? 0)) at++;
    return at;
  });
  return [...new Set(found)].filter((place) => place < stamps.length);
}

/** Decodes the video from its start to the last of the frames, and ends early at frames that are not listed. */
async function* readThrough(decoding: Decoding, indexes: readonly number[]): AsyncGenerator<DecodedFrame> {
  if (indexes.length === 0) return;
  const { clip } = decoding;
  const { isDecoded, stamps } = clip.decoding.frames;
  let listed = Infinity;
  const announced = new AnnouncedFrames(({ place, pts }) => {
    if (!isDecoded && stamps[place] !== pts) listed = Math.min(listed, place);
  });
  await using run = start(decoding, [], frameSelection(indexes), announced);
  const times = clip.decoding.frames.times();
  let next = 0;
  for await (const { place, rgb } of decoded(decoding, run, announced)) {
    if (place >= listed) return;
    // The expression may select more than requested.
    if (indexes[next] !== place) continue;
    next++;
    yield { frameIdx: place, timeSec: times[place] ?? 0, rgb };
    if (next === indexes.length) return;
  }
  await run.finished();
  if (isShortOfMemory(run.log)) throw whyUnread(run.log, clip.decoding.input.inputPixels);
}

/**
 * Decodes a pass's frames. Stops early if a decoder that began at the file's start might give others: this one begins
 * elsewhere than the file's index says, its first frame is not a key frame, other frames come than are listed, or it
 * reports errors. After an error its frames may depend on earlier ones.
 */
async function* readPass(decoding: Decoding, pass: Pass): AsyncGenerator<DecodedFrame> {
  const { times, decoding: how } = decoding.clip;
  const { stamps } = how.frames;
  let follows = pass.key === null ? 0 : null;
  let isListed = true;
  const announced = new AnnouncedFrames(({ pts }) => {
    const index = frameAt(stamps, pts);
    if (index === pass.key) follows = index;
    // The first frames may precede the key frame, if its group of pictures is open.
    if (follows !== null) isListed &&= index === follows++;
  });
  await using run = start(decoding, seekTo(pass), passSelection(stamps, pass), announced);
  const expected = pass.key === null ? [] : [pass.key];
  const wanted = [...pass.indexes];
  for await (const { pts, rgb } of decoded(decoding, run, announced)) {
    const frameIdx = frameAt(stamps, pts);
    if (!isListed || frameIdx !== (expected.shift() ?? Math.min(frameIdx, wanted[0] ?? -1))) return;
    if (frameIdx !== wanted[0]) continue;
    if (pass.key !== null && (await hasErrors(run))) return;
    wanted.shift();
    yield { frameIdx, timeSec: times[frameIdx] ?? 0, rgb };
    if (wanted.length === 0) return;
  }
  await run.finished();
}

const seekTo = ({ key, seconds }: Pass): string[] => [
  "-loglevel",
  "repeat+error",
  // The time is in the file's clock, and FFmpeg also gives the frames before it.
  ...(key === null ? [] : ["-noaccurate_seek", "-seek_timestamp", "1", "-ss", seconds.toFixed(6)]),
];

/**
 * Errors that do not concern the frames: the demuxer's, about the file as a whole; sound that is not decoded; and
 * H.264's order to forget a frame from before an open group of pictures, which the decoder never had.
 */
const HARMLESS = /^\[(?:mov|matroska|avi)\b|not on whitelist|mmco: unref short failure|^$/;

/** True if FFmpeg has logged errors about the frames that it has given so far. */
const hasErrors = async (run: FfmpegRun): Promise<boolean> =>
  (await logUpToNow(run)).split("\n").some((line) => !HARMLESS.test(line));

/** The log, including all messages about the frames that FFmpeg has given so far. */
async function logUpToNow(run: FfmpegRun): Promise<string> {
  // FFmpeg logs an error before it writes the frame. After one full turn of the event loop, everything that was in
  // the log's pipe has been read.
  await wholeTurn();
  await wholeTurn();
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
    ["-f", "rawvideo", "-pix_fmt", clip.decoding.hasAlpha ? "rgba" : "rgb24", "-"],
  ].flat();
  return new FfmpegRun(ffmpeg, args, { signal, onSide: announced.hear });
}

/** The frames that FFmpeg gives. */
async function* decoded(
  { clip, size }: Decoding,
  run: FfmpegRun,
  announced: AnnouncedFrames,
): AsyncGenerator<Announced & Pick<DecodedFrame, "rgb">> {
  const { hasAlpha, input } = clip.decoding;
  for await (const pixels of toFrames(run.output(), (hasAlpha ? 4 : 3) * size.width * size.height)) {
    const frame = await run.waitFor(announced.next());
    if (frame === null) throw new Error("FFmpeg gave a frame that it did not announce.");
    if (isShortOfMemory(await logUpToNow(run))) throw whyUnread(run.log, input.inputPixels);
    yield { ...frame, rgb: hasAlpha ? onWhite(pixels) : pixels };
  }
}

/** Puts transparent pixels on white, as in pictures. @param rgba four bytes per pixel */
function onWhite(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    const alpha = rgba[from + 3] ?? 0;
    for (let channel = 0; channel < 3; channel++)
      rgb[to++] = Math.round(255 + (((rgba[from + channel] ?? 0) - 255) * alpha) / 255);
  }
  return rgb;
}

/** Announces each decoded frame on file descriptor 3, which shows that decoding continues, and again if it is selected. */
function filters(clip: Clip, selection: string, { width, height }: Size): string {
  const { colourMatrix, toneMapped, turn } = clip.decoding;
  const toned = clip.hdr !== null && toneMapped ? toneMapping(clip.hdr) : [];
  const matrix = colourMatrix === null || toned.length > 0 ? "" : `:in_color_matrix=${colourMatrix}`;
  return [
    announceFrames("decoded"),
    `select='${selection}'`,
    announceFrames("selected"),
    ...turn,
    `scale=${width}:${height}${matrix}`,
    ...toned,
  ].join(",");
}
