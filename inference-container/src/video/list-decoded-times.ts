import { announceFrames, AnnouncedFrames } from "./announced-frames.ts";
import { FfmpegRun } from "./ffmpeg-run.ts";
import { TICKS } from "./frame-selection.ts";
import { inputArguments, type ClipInput } from "./input-arguments.ts";
import type { FrameTimes } from "./list-times.ts";
import { tooLong, whyUnread } from "./refusals.ts";

/**
 * Lists the presentation times of a clip's frames by decoding all of them: for codecs whose packets may hold frames that
 * aren't shown.
 *
 * @param seconds the most allowed between the first frame and the last
 * @throws TaskFailure named video_too_long, video_unreadable, video_crashed or video_stalled; the signal's reason
 */
export async function listDecodedTimes(
  ffmpeg: string,
  input: ClipInput,
  seconds: number,
  signal: AbortSignal,
): Promise<FrameTimes> {
  const announced = new AnnouncedFrames("decoded");
  const args = [
    "-vf",
    `settb=1/${TICKS},${announceFrames("decoded")}`,
    "-fps_mode",
    "passthrough",
    "-f",
    "null",
    "-",
  ];
  await using run = new FfmpegRun(ffmpeg, [...inputArguments(input), ...args], {
    signal,
    onSide: announced.hear,
  });
  const next = (): Promise<number | null> => run.waitFor(announced.next());
  const times: number[] = [];
  for (let ticks = await next(); ticks !== null; ticks = await next()) {
    times.push(ticks / TICKS);
    if (ticks / TICKS - (times[0] ?? 0) > seconds) throw tooLong(seconds);
  }
  await run.finished();
  if (times.length === 0) throw whyUnread(run.log, input.inputPixels);
  return { times: Float64Array.from(times).toSorted(), untimed: false };
}
