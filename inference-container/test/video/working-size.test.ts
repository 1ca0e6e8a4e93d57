import * as fc from "fast-check";
import { expect, test } from "vitest";
import { workingSize } from "../../src/video/clip.ts";

const side = fc.integer({ min: 2, max: 10_000 });

test.for([
  [1920, 1080, 1920, 1080],
  [3840, 2160, 2048, 1152],
  [2160, 3840, 1152, 2048],
  [321, 241, 320, 240],
  [2048, 2048, 2048, 2048],
  [5000, 1, 2048, 2],
] as const)("a video of %d × %d is worked on as %d × %d", ([width, height, ...size]) => {
  expect(Object.values(workingSize({ width, height }))).toEqual(size);
});

test("sides are even, at least 2, at most 2048, never enlarged, and keep their ratio to two pixels", () => {
  fc.assert(
    fc.property(side, side, (width, height) => {
      const size = workingSize({ width, height });
      const shrink = Math.min(2048 / Math.max(width, height), 1);
      for (const [got, shown] of [
        [size.width, width],
        [size.height, height],
      ] as const) {
        expect(got % 2).toBe(0);
        expect(got).toBeGreaterThanOrEqual(2);
        expect(got).toBeLessThanOrEqual(Math.min(shown, 2048));
        expect(Math.abs(got - Math.max(shown * shrink, 2))).toBeLessThan(2);
      }
    }),
  );
});
