import { announceFrames, AnnouncedFrames } from "./announced-frames.ts";
import type { Clip } from "./clip.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { frameSelection, nearestFrame, TICKS } from "./frame-selection.ts";
import { inputArguments } from "./input-arguments.ts";
import type { Size } from "./size.ts";
import { toFrames } from "./to-frames.ts";
import { whyUnread } from "./refusals.ts";

/** A decoded frame of a clip. */
export interface Frame {
  /** Counts the frames that were yielded, from 0. */
  readonly sampleIdx: number;
  /** Its place among the clip's frames, from 0. */
  readonly frameIdx: number;
  /** Its presentation time in seconds. */
  readonly timeSec: number;
  /** Three sRGB bytes per pixel, row by row, as a player shows it: `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
}

/**
 * Decodes frames of a clip, scaled to one size. At most one frame is read ahead of the consumer, and FFmpeg is gone when
 * the generator ends or is returned. A damaged frame that the decoder drops is left out.
 *
 * @param indexes the frames, ascending and distinct
 * @throws TaskFailure named video_unreadable if none of them could be decoded, video_crashed or video_stalled; the
 *   signal's reason
 */
export async function* readFrames(
  ffmpeg: string,
  clip: Clip,
  indexes: readonly number[],
  size: Size,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  if (indexes.length === 0) return;
  const announced = new AnnouncedFrames("selected");
  const args = [
    inputArguments(clip.decoding.input),
    ["-vf", filters(clip, indexes, size), "-fps_mode", "passthrough"],
    ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
  ].flat();
  await using run = new FfmpegRun(ffmpeg, args, { signal, onSide: announced.hear });
  let sampleIdx = 0;
  let next = 0;
  for await (const rgb of toFrames(run.output(), 3 * size.width * size.height)) {
    const ticks = await run.waitFor(announced.next());
    if (ticks === null) throw new Error("FFmpeg gave a frame that it did not announce.");
    const frameIdx = nearestFrame(clip.times, ticks);
    while ((indexes[next] ?? Infinity) < frameIdx) next++;
    // It may select more than requested, and damaged times may give two frames the same place.
    if (indexes[next] !== frameIdx) continue;
    next++;
    yield { sampleIdx: sampleIdx++, frameIdx, timeSec: clip.times[frameIdx] ?? 0, rgb };
    if (next === indexes.length) return;
  }
  await run.finished();
  if (sampleIdx === 0) throw whyUnread(run.log, clip.decoding.input.inputPixels);
}

/**
 * Announces each decoded frame on file descriptor 3, which shows that decoding goes on, and again if it is selected. Times
 * of a file without presentation times count from its first frame: the decoder's times are late by its delay.
 */
function filters(clip: Clip, indexes: readonly number[], { width, height }: Size): string {
  const { colourMatrix, untimed } = clip.decoding;
  const first = Math.round((clip.times[0] ?? 0) * TICKS);
  return [
    `settb=1/${TICKS}`,
    ...(untimed ? [`setpts=PTS-STARTPTS+${first}`] : []),
    announceFrames("decoded"),
    `select='${frameSelection(clip.times, indexes)}'`,
    announceFrames("selected"),
    `scale=${width}:${height}${colourMatrix === null ? "" : `:in_color_matrix=${colourMatrix}`}`,
  ].join(",");
}
