/** Gives the detections of a film an appearance, as a model would. */
import type { Frame } from "./film.ts";
import type { Random } from "./random.ts";

/** The length of an appearance. */
const LENGTH = 16;
/** The cosine between an object's appearances in two frames. */
const STEADY = 0.95;

/**
 * The same frames, each detection with an appearance: of one object nearly the same in all, of two objects alike to the
 * cosine `alike`.
 */
export function withAppearance(frames: readonly Frame[], alike: number, random: Random): Frame[] {
  const common = direction(random);
  const appearance = new Map<number | null, number[]>();
  return frames.map(({ timeSec, detections }) => ({
    timeSec,
    detections: detections.map((detection) => {
      const descriptor = appearance.get(detection.actor) ?? between(common, direction(random), alike);
      appearance.set(detection.actor, descriptor);
      return { ...detection, appearance: Float32Array.from(between(descriptor, direction(random), STEADY)) };
    }),
  }));
}

/** A vector of length 1 in any direction. */
function direction(random: Random): number[] {
  const values = Array.from({ length: LENGTH }, () => random.normal());
  return values.map((value) => value / Math.hypot(...values));
}

/** A vector of length 1, of which two with the same `a` and different `b` have about this cosine. */
function between(a: readonly number[], b: readonly number[], cosine: number): number[] {
  const values = a.map((value, at) => Math.sqrt(cosine) * value + Math.sqrt(1 - cosine) * (b[at] ?? 0));
  return values.map((value) => value / Math.hypot(...values));
}
