import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findRuns, rleOf } from "@segmentation/masks";
import { kindsOfGrids, thresholds } from "../support/masks/grids.ts";
import { plainMask } from "../support/masks/plain-mask.ts";
import { decodeRle, plainRle } from "../support/masks/plain-rle.ts";
// Masks as logit grids cut at 0, with the strings that rleEncode and rleToString of the COCO API's common/maskApi.c
// (revision 28dffd9) gave for their pixels.
import reference from "./coco-counts.json" with { type: "json" };

const side = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1, 2));

test.for(kindsOfGrids)("an encoding of %s equals that of the mask, pixel by pixel [2.5-14]", ([, grid]) => {
  fc.assert(
    fc.property(grid, side, side, thresholds, (logits, width, height, threshold) => {
      const runs = findRuns(logits, width, height, threshold);
      const rle = rleOf(runs);
      const pixels = plainMask(logits, width, height, threshold);
      expect(rle).toEqual({ size: [height, width], counts: plainRle(pixels, width, height) });
      expect(runs.area).toBe(pixels.filter(Boolean).length);
      expect(decodeRle(rle)).toEqual(pixels);
    }),
    { numRuns: 300 },
  );
});

test.for(reference.map((mask, index) => ({ ...mask, index })))(
  "mask $index of $width × $height pixels has the reference implementation's counts [2.5-14]",
  ({ grid, width, height, counts }) => {
    const logits = { ...grid, logits: Float32Array.from(grid.logits) };
    expect(rleOf(findRuns(logits, width, height, 0.5)).counts).toBe(counts);
  },
);

test("a mask that is set at a column's foot and at the next one's head is one run", () => {
  const grid = { width: 1, height: 3, logits: Float32Array.from([1, -1, 1]) };
  const { size, counts } = rleOf(findRuns(grid, 4, 3, 0.5));
  expect(counts).toBe(plainRle(plainMask(grid, 4, 3, 0.5), 4, 3));
  expect(decodeRle({ size, counts }).filter(Boolean)).toHaveLength(8);
});
