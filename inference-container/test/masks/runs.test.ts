import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findRuns } from "@segmentation/masks";
import { kindsOfGrids, thresholds } from "../support/masks/grids.ts";
import { runsOf } from "../support/masks/mask-pixels.ts";
import { plainMask } from "../support/masks/plain-mask.ts";

const side = fc.integer({ min: 1, max: 70 });

test.for(kindsOfGrids)("a mask from %s equals the pixel-by-pixel computation", ([, grid]) => {
  fc.assert(
    fc.property(grid, side, side, thresholds, (logits, width, height, threshold) => {
      const pixels = plainMask(logits, width, height, threshold);
      expect(findRuns(logits, width, height, threshold)).toEqual(runsOf(pixels, width, height));
    }),
    { numRuns: 400 },
  );
});

test("a logit that ties with the threshold is outside", () => {
  const flat = { width: 2, height: 2, logits: new Float32Array(4) };
  expect(findRuns(flat, 9, 5, 0.5).area).toBe(0);
  expect(findRuns(flat, 9, 5, 0.49).area).toBe(45);
});

test("a mask threshold of 0 sets every pixel and one of 1 sets none [4.3-6]", () => {
  const grid = { width: 2, height: 1, logits: Float32Array.from([-80, 80]) };
  expect(findRuns(grid, 13, 3, 0).area).toBe(39);
  expect(findRuns(grid, 13, 3, 1).area).toBe(0);
});
