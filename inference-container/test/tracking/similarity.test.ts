import type { Corners } from "@segmentation/masks";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { boxIou } from "../../src/models/box.ts";
import { bufferedIou } from "../../src/tracking/tracker.ts";

const box = fc
  .tuple(
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(([x, y, width, height]): Corners => [x, y, x + width, y + height]);
const buffer = fc.double({ min: 0, max: 2, noNaN: true });

test("the buffered overlap of equal boxes is 1, and either box may come first", () => {
  fc.assert(
    fc.property(box, box, buffer, (a, b, width) => {
      expect(bufferedIou(a, a, width)).toBeCloseTo(1, 9);
      expect(bufferedIou(a, b, width)).toBeCloseTo(bufferedIou(b, a, width), 9);
    }),
  );
});

test("without a buffer it is the plain overlap", () => {
  fc.assert(
    fc.property(box, box, (a, b) => {
      expect(bufferedIou(a, b, 0)).toBe(boxIou(a, b));
    }),
  );
});

test("boxes a side apart begin to overlap at a buffer of half a side", () => {
  const [a, b]: [Corners, Corners] = [
    [0, 0, 10, 10],
    [20, 0, 30, 10],
  ];
  expect(bufferedIou(a, b, 0.5)).toBe(0);
  // Grown to 24 × 24 each, 4 of the 24 in common.
  expect(bufferedIou(a, b, 0.7)).toBeCloseTo(4 / 44, 9);
});
