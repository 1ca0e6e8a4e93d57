/** A drawn picture for the families that find objects by words, and the objects that they must find in it. */
import { expect } from "vitest";
import { boxIou } from "../../src/models/box.ts";
import type { Instance, Picture, SegmentRequest } from "../../src/models/model.ts";
import { maskIou, maskOf } from "./samples.ts";
import { BLUE, GREEN, RED, type Rectangle, scene } from "./sam3/fixture-folder.ts";

export const SIZE = [640, 360] as const;
export const red: Rectangle = [40, 30, 200, 150];
export const redBelow: Rectangle = [400, 220, 600, 340];
export const green: Rectangle = [360, 40, 500, 160];
export const blue: Rectangle = [100, 200, 260, 300];

export const picture = scene(SIZE, [
  [RED, red],
  [RED, redBelow],
  [GREEN, green],
  [BLUE, blue],
]);

export function ask(...prompts: string[]): SegmentRequest {
  return { prompts, threshold: 0.5, withFaint: false };
}

/** The lowest overlaps of a found object with its rectangle. */
interface Overlaps {
  readonly box: number;
  readonly mask: number;
}

/** Expects an object whose box and mask cover exactly the rectangle, up to the family's resolution. */
export function expectOverlap(
  found: Instance | undefined,
  of: Picture,
  rectangle: Rectangle,
  score: number,
  least: Overlaps,
): void {
  expect(boxIou(found?.box ?? [0, 0, 0, 0], rectangle)).toBeGreaterThan(least.box);
  expect(found?.score).toBeCloseTo(score, 3);
  if (found === undefined) return;
  const [x1, y1, x2, y2] = rectangle;
  const fixture = Array.from({ length: of.width * of.height }, (_, i) => {
    const [x, y] = [i % of.width, Math.floor(i / of.width)];
    return x >= x1 && x < x2 && y >= y1 && y < y2;
  });
  expect(maskIou(maskOf(found, of), fixture)).toBeGreaterThan(least.mask);
}
