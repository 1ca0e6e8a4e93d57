import * as fc from "fast-check";
import { expect, test } from "vitest";
import { boundsOf, findRuns, type LogitGrid } from "@segmentation/masks";
import { drawOverlay, type Layer } from "../../src/preview/overlay.ts";
import { coarse } from "../support/masks/grids.ts";
import { plainMask } from "../support/masks/plain-mask.ts";

const side = fc.integer({ min: 1, max: 28 });
const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));
const line = fc.integer({ min: 1, max: 5 });
const GREY = 128;

function layerOf(grid: LogitGrid, width: number, height: number, rgb: Layer["colour"]): Layer {
  const runs = findRuns(grid, width, height, 0.5);
  return { runs, bounds: boundsOf(runs), colour: rgb };
}

/** The distance to the nearest pixel outside in thirds of a pixel: 3 per step along an axis, 4 per diagonal step. */
function plainDepth(mask: readonly boolean[], width: number, at: number): number {
  let least = Infinity;
  for (const [other, set] of mask.entries()) {
    if (set) continue;
    const dx = Math.abs((other % width) - (at % width));
    const dy = Math.abs(Math.floor(other / width) - Math.floor(at / width));
    least = Math.min(least, 3 * Math.max(dx, dy) + Math.min(dx, dy));
  }
  return least;
}

test("a pixel shows its uppermost object, the more opaque the nearer it is to that object's outline", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ grid: coarse, rgb: colour }), { minLength: 1, maxLength: 3 }),
      side,
      side,
      line,
      async (objects, width, height, thick) => {
        const canvas = { width, height, rgb: new Uint8Array(width * height * 3).fill(GREY) };
        const masks = objects.map(({ grid }) => plainMask(grid, width, height, 0.5));
        await drawOverlay(
          canvas,
          objects.map(({ grid, rgb }) => layerOf(grid, width, height, rgb)),
          thick,
          () => Promise.resolve(),
        );
        const expected = masks[0]?.flatMap((_, at) => {
          const top = masks.findLastIndex((mask) => mask[at]);
          const depth = plainDepth(masks[top] ?? [], width, at);
          const edge = Math.min(Math.max(thick + 1 - depth / 3, 0), 1);
          const alpha = top < 0 ? 0 : 0.42 + 0.54 * edge;
          return (objects[top]?.rgb ?? [0, 0, 0]).map((light) => GREY * (1 - alpha) + light * alpha);
        });
        // Bytes are truncated, not rounded.
        const cutOff = expected?.map((value, at) => value - (canvas.rgb[at] ?? NaN)) ?? [];
        expect(cutOff).toHaveLength(width * height * 3);
        expect(Math.min(...cutOff)).toBeGreaterThan(-1e-4);
        expect(Math.max(...cutOff)).toBeLessThan(1 + 1e-4);
      },
    ),
    { numRuns: 150 },
  );
});

test("a mask's bounds are those of its pixels, with the middle of the uppermost row as its peak", () => {
  fc.assert(
    fc.property(coarse, side, side, (grid, width, height) => {
      const set = plainMask(grid, width, height, 0.5).flatMap((inside, at) => (inside ? [at] : []));
      const { left, top, right, bottom, peak } = boundsOf(findRuns(grid, width, height, 0.5));
      if (set.length === 0) {
        expect(right).toBeLessThanOrEqual(left);
        return;
      }
      const columns = set.map((at) => at % width);
      const rows = set.map((at) => Math.floor(at / width));
      expect([left, right]).toEqual([Math.min(...columns), Math.max(...columns) + 1]);
      expect([top, bottom]).toEqual([Math.min(...rows), Math.max(...rows) + 1]);
      const uppermost = columns.filter((_, i) => rows[i] === top);
      expect(peak).toBe((Math.min(...uppermost) + Math.max(...uppermost) + 1) / 2);
    }),
  );
});
