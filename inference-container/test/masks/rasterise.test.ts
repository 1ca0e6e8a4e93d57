import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BitMask } from "../../src/masks/bit-mask.ts";
import { rasterise } from "../../src/masks/rasterise.ts";
import type { LogitGrid } from "../../src/models/model.ts";
import { plainMask } from "../support/plain-mask.ts";

const side = fc.integer({ min: 1, max: 70 });
const cells = fc.integer({ min: 1, max: 9 });

/** Grids whose values often tie with each other and with the threshold's logit. */
function grids(value: fc.Arbitrary<number>): fc.Arbitrary<LogitGrid> {
  return fc
    .record({ width: cells, height: cells })
    .chain(({ width, height }) =>
      fc
        .array(value, { minLength: width * height, maxLength: width * height })
        .map((values) => ({ width, height, logits: Float32Array.from(values) })),
    );
}

const coarse = grids(fc.integer({ min: -3, max: 3 }));
const fine = grids(fc.float({ noNaN: true, noDefaultInfinity: true }));
const nearTies = grids(fc.constantFrom(0, 1e-30, -1e-30, 2 ** -20, -(2 ** -20), 1, -1, 1e30, -1e30));
const extreme = grids(fc.constantFrom(Infinity, -Infinity, Number.NaN, 0, 1, -1));
const thresholds = fc.constantFrom(0, 0.05, 0.3, 0.5, 0.5000001, 0.9, 1);

function unpack(mask: BitMask): boolean[] {
  const pixels: boolean[] = [];
  for (let y = 0; y < mask.height; y++) {
    for (let x = 0; x < mask.width; x++) {
      pixels.push((((mask.bits[y * mask.stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1);
    }
  }
  return pixels;
}

test.for([
  ["whole logits", coarse],
  ["any logits", fine],
  ["logits that all but tie", nearTies],
  ["logits that aren't finite", extreme],
] as const)("a mask from %s equals the pixel-by-pixel computation", ([, grid]) => {
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
