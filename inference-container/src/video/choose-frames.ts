import type { Sampling } from "@segmentation/protocol";
import { taskFailure } from "../failures.ts";

/** Samples per second if a request names neither a rate nor a number. */
const DEFAULT_FPS = 6;

/** A container that rounds times to milliseconds must not make a frame miss its slot. */
const TOLERANCE_SECONDS = 0.001;

/** The meaningful rates: from one frame in eleven days to one per microsecond. Rates beyond count as these. */
const SLOWEST_FPS = 1e-6;
const FASTEST_FPS = 1e6;

export interface SamplePlan {
  /** Source frames, ascending and distinct. */
  readonly indexes: readonly number[];
  /** Samples per second: from 0.000001 to 1,000,000. */
  readonly fps: number;
}

/** Writers of times round to microseconds. */
const ROUNDED_SECONDS = 1e-5;

/** The frame that players show at a time: the last frame up to it, or else the first. */
export const shownFrame = (times: Float64Array, seconds: number): number =>
  Math.max(
    times.findLastIndex((time) => time <= seconds + ROUNDED_SECONDS),
    0,
  );

/**
 * Plans the frames of a video to process. A rate takes the first frame of each slot of 1/fps seconds, counted from the
 * first frame. A number takes that many frames, evenly spaced in time, from the first one on. Both take all frames if
 * the video has no more; `maxFrames` ends the list early (a rate) or lowers the number. The frames at `pointed` times
 * are always taken: in addition, or instead of the nearest other sample if there may be no more.
 *
 * @param times presentation times in seconds, ascending
 * @param mostFrames the limit of a task's frames
 * @param pointed times in seconds
 * @throws TaskFailure named too_many_frames
 */
export function planSamples(
  times: Float64Array,
  sampling: Sampling,
  mostFrames: number,
  pointed: readonly number[] = [],
): SamplePlan {
  const atMost = sampling.maxFrames ?? Infinity;
  const plan =
    sampling.numFrames === null
      ? atRate(times, meaningful(sampling.fps ?? DEFAULT_FPS), atMost)
      : ofNumber(times, Math.min(sampling.numFrames, atMost));
  const count = plan.indexes.length;
  if (count <= mostFrames) {
    const most = sampling.numFrames === null ? Math.min(atMost, mostFrames) : count;
    const cut = pointed.length > 0 ? cutAt(times, sampling) : Infinity;
    const shown = pointed.filter((time) => time < cut).map((time) => shownFrame(times, time));
    return { indexes: including(plan.indexes, shown, most), fps: meaningful(plan.fps) };
  }
  const change = sampling.numFrames === null ? "Lower fps or set maxFrames" : "Lower numFrames";
  throw taskFailure("too_many_frames", { count, limit: mostFrames, change });
}

/** The time in seconds of the first sample that `maxFrames` leaves out at the end of a list; Infinity if it leaves out none. */
export function cutAt(times: Float64Array, { fps, numFrames, maxFrames }: Sampling): number {
  if (numFrames !== null || maxFrames === null) return Infinity;
  const next = atRate(times, meaningful(fps ?? DEFAULT_FPS), maxFrames + 1).indexes[maxFrames];
  return next === undefined ? Infinity : (times[next] ?? 0);
}

/** The samples with these frames, which replace the nearest others if there would be more than `most`. */
function including(indexes: readonly number[], frames: readonly number[], most: number): number[] {
  const taken = new Set(indexes);
  for (const frame of frames) {
    if (taken.has(frame)) continue;
    const others = [...taken].filter((index) => !frames.includes(index));
    if (taken.size >= most) {
      if (others.length === 0) break;
      taken.delete(
        others.reduce((near, other) => (Math.abs(other - frame) < Math.abs(near - frame) ? other : near)),
      );
    }
    taken.add(frame);
  }
  return [...taken].toSorted((a, b) => a - b);
}

const meaningful = (fps: number): number => Math.min(Math.max(fps, SLOWEST_FPS), FASTEST_FPS);

function atRate(times: Float64Array, fps: number, atMost: number): SamplePlan {
  const start = times[0] ?? 0;
  const indexes: number[] = [];
  let taken = -1;
  for (const [index, time] of times.entries()) {
    const slot = Math.floor((time - start + TOLERANCE_SECONDS) * fps);
    if (slot <= taken) continue;
    if (indexes.length === atMost) break;
    taken = slot;
    indexes.push(index);
  }
  const leftOut = indexes.at(-1) !== indexes.length - 1;
  return { indexes, fps: leftOut ? fps : Math.min(fps, meanRate(times)) };
}

function ofNumber(times: Float64Array, wanted: number): SamplePlan {
  const number = Math.min(wanted, times.length);
  const start = times[0] ?? 0;
  const fps = (meanRate(times) * number) / times.length;
  const indexes: number[] = [];
  let next = 0;
  for (let sample = 0; sample < number; sample++) {
    const ideal = start + sample / fps;
    // Leaves a frame for each later sample.
    const last = times.length - number + sample;
    while (next < last && (times[next + 1] ?? 0) - ideal <= ideal - (times[next] ?? 0)) next++;
    indexes.push(next++);
  }
  return { indexes, fps };
}

/** Frames per second over the whole video. A single frame, whose length is unknown, counts with the default rate. */
function meanRate(times: Float64Array): number {
  const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return length > 0 ? (times.length - 1) / length : DEFAULT_FPS;
}
