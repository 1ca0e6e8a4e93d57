import * as fc from "fast-check";
import type { LogitGrid } from "@segmentation/masks";

const cells = fc.integer({ min: 1, max: 9 });

/** Grids of up to 9 × 9 drawn values. */
function grids(value: fc.Arbitrary<number>): fc.Arbitrary<LogitGrid> {
  return fc
    .record({ width: cells, height: cells })
    .chain(({ width, height }) =>
      fc
        .array(value, { minLength: width * height, maxLength: width * height })
        .map((values) => ({ width, height, logits: Float32Array.from(values) })),
    );
}

/** Values that often tie with each other and with the threshold's logit. */
export const coarse = grids(fc.integer({ min: -3, max: 3 }));

/** Kinds of grids by name. */
export const kindsOfGrids = [
  ["whole logits", coarse],
  ["any logits", grids(fc.float({ noNaN: true, noDefaultInfinity: true }))],
  [
    "logits that all but tie",
    grids(fc.constantFrom(0, 1e-30, -1e-30, 2 ** -20, -(2 ** -20), 1, -1, 1e30, -1e30)),
  ],
  ["logits that aren't finite", grids(fc.constantFrom(Infinity, -Infinity, Number.NaN, 0, 1, -1))],
] as const;

export const thresholds = fc.constantFrom(0, 0.05, 0.3, 0.5, 0.5000001, 0.9, 1);
