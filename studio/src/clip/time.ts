import type { Sighting } from "segmentation-client";
import { framesOf } from "../workspace/rules/obstacles.ts";

/** A place in a video as people read it: minutes, seconds and tenths. @param seconds from the video's beginning */
export function clock(seconds: number): string {
  const tenths = Math.max(0, Math.round(seconds * 10));
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

/** A browser's clock runs in doubles, a video's frames in shares of a second: times this close are the same frame. */
const NEAR_SEC = 0.002;

/** Returns the index of the time that is shown at a moment: the latest one so far, or else the first; -1 without times. */
export function shownAt(times: readonly number[], seconds: number): number {
  const next = times.findIndex((time) => time > seconds + NEAR_SEC);
  if (times.length === 0) return -1;
  return next < 0 ? times.length - 1 : Math.max(0, next - 1);
}

/** Returns the index of the time that is nearest to a moment; -1 without times. */
export const nearestTo = (times: readonly number[], seconds: number): number =>
  times.reduce(
    (near, time, at) =>
      Math.abs(time - seconds) < Math.abs((times[near] ?? Infinity) - seconds) ? at : near,
    -1,
  );

/**
 * The times of the frames that a job will process, as far as a browser knows: it does not know where frames begin.
 * @param end of the video, in seconds @param begin when its first frame is shown
 */
export const timesAt = (fps: number, end: number, begin = 0): number[] =>
  Array.from({ length: framesOf(end - begin, fps) }, (_, frame) => begin + frame / fps);

/** The time of the next processed frame, or of the one before; where there is none, that of the present one. */
export function stepFrom(times: readonly number[], seconds: number, by: 1 | -1): number {
  const at = shownAt(times, seconds);
  const isBetween = Math.abs((times[at] ?? 0) - seconds) > NEAR_SEC;
  // From between two frames, one step back is the frame that is shown.
  const to = by === -1 && isBetween ? at : at + by;
  return times[Math.min(Math.max(to, 0), times.length - 1)] ?? seconds;
}

/** From which confidence on an object's mask counts as sure. */
const SURE = 0.5;

export const isSure = ({ confidence }: Pick<Sighting, "confidence">): boolean => confidence >= SURE;

/** Time span in which an object is visible without a gap, all sure or all unsure, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly isSure: boolean;
}

/**
 * Joins an object's sightings to spans. A processed frame lasts until the next one; the last one until the video's end.
 * @param times of all processed frames @param seen in their order, `sampleIdx` being places in `times`
 */
export function spansOf(
  times: readonly number[],
  seen: readonly Pick<Sighting, "sampleIdx" | "confidence">[],
  duration: number,
): Span[] {
  const spans: Span[] = [];
  let before = -2;
  for (const { sampleIdx: at, confidence } of seen) {
    const from = times[at] ?? 0;
    const to = Math.max(from, times[at + 1] ?? duration);
    const span = { from, to, isSure: isSure({ confidence }) };
    const last = spans.at(-1);
    if (last !== undefined && at === before + 1 && last.isSure === span.isSure)
      spans[spans.length - 1] = { ...last, to };
    else spans.push(span);
    before = at;
  }
  return spans;
}
