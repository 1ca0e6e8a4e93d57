import fc from "fast-check";
import { expect, it } from "vitest";
import { priorOf } from "@segmentation/masks";

const SIDE = 256;
const mask = (width: number, height: number, isSet: (x: number, y: number) => boolean) => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height }, (_, at) =>
    isSet(at % width, Math.floor(at / width)) ? 255 : 0,
  ),
});

it("is sure of a mask that fills or leaves the whole picture, of any size", () => {
  const side = fc.integer({ min: 1, max: 700 });
  fc.assert(
    fc.property(side, side, fc.boolean(), (width, height, isSet) => {
      const { logits } = priorOf(mask(width, height, () => isSet));
      const sure = isSet ? 10 : -10;
      expect(logits.find((logit) => Math.abs(logit - sure) > 5e-5)).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

it.each([
  ["smaller than the grid", 64, 32],
  ["of the grid's size", SIDE, SIDE],
  ["larger than the grid", 1_000, 777],
  ["on another grid", 300, 200, 288],
] as const)("crosses zero at the edge of a mask %s", (_, width, height, side: number = SIDE) => {
  const { logits } = priorOf(
    mask(width, height, (x, y) => x < width / 2 && y < height / 4),
    side,
  );
  const signs = (cells: (at: number) => number) => Array.from({ length: side }, (__, at) => cells(at) > 0);
  const across = signs((at) => logits[10 * side + at] ?? 0);
  const down = signs((at) => logits[at * side + 10] ?? 0);
  expect(Math.abs(across.indexOf(false) - side / 2)).toBeLessThanOrEqual(1);
  expect(Math.abs(down.indexOf(false) - side / 4)).toBeLessThanOrEqual(1);
});
