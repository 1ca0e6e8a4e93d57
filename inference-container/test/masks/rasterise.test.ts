import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BitMask } from "../../src/masks/bit-mask.ts";
import { rasterise } from "../../src/masks/rasterise.ts";
import { coarse, kindsOfGrids, thresholds } from "../support/grids.ts";
import { plainMask } from "../support/plain-mask.ts";

const side = fc.integer({ min: 1, max: 70 });

function unpack(mask: BitMask): boolean[] {
  const pixels: boolean[] = [];
  for (let y = 0; y < mask.height; y++) {
    for (let x = 0; x < mask.width; x++) {
      pixels.push((((mask.bits[y * mask.stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1);
    }
  }
  return pixels;
}

test.for(kindsOfGrids)("a mask from %s equals the pixel-by-pixel computation", ([, grid]) => {
  fc.assert(
    fc.property(grid, side, side, thresholds, (logits, width, height, threshold) => {
      const mask = rasterise(logits, width, height, threshold);
      const pixels = unpack(mask);
      expect(pixels).toEqual(plainMask(logits, width, height, threshold));
      expect(mask.area).toBe(pixels.filter(Boolean).length);
    }),
    { numRuns: 400 },
  );
});

test("the unused bits at the end of a row stay 0", () => {
  fc.assert(
    fc.property(coarse, side, side, (grid, width, height) => {
      const { bits, stride } = rasterise(grid, width, height, 0.5);
      const unused = stride * 8 - width;
      for (let y = 0; y < height; y++) {
        expect((bits[y * stride + stride - 1] ?? 0) & ((1 << unused) - 1)).toBe(0);
      }
    }),
  );
});

test("a logit that ties with the threshold is outside", () => {
  const flat = { width: 2, height: 2, logits: new Float32Array(4) };
  expect(rasterise(flat, 9, 5, 0.5).area).toBe(0);
  expect(rasterise(flat, 9, 5, 0.49).area).toBe(45);
});

test("a mask threshold of 0 sets every pixel and one of 1 sets none", () => {
  const grid = { width: 2, height: 1, logits: Float32Array.from([-80, 80]) };
  expect(rasterise(grid, 13, 3, 0).area).toBe(39);
  expect(rasterise(grid, 13, 3, 1).area).toBe(0);
});
