import { readMaskPng, rowRunsOf, unpackMask } from "@segmentation/masks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyMask } from "../../../../client/test/support/arbitrary-masks.ts";
import { draw, maskFile } from "../../../../client/test/support/shapes.ts";
import { composeMask } from "../../../src/workspace/compose/compose.ts";
import type { Composition, Stroke } from "../../../src/workspace/rules/edit-history.ts";
import { paint, partOf, partsOf, union } from "../../../src/workspace/compose/pixels.ts";

const empty = (width: number, height: number) => draw(width, height, () => false);

const anyStroke: fc.Arbitrary<Stroke> = fc.record({
  mode: fc.constantFrom("brush", "eraser"),
  radius: fc.double({ min: 0.5, max: 12, noNaN: true }),
  points: fc
    .array(
      fc.tuple(fc.double({ min: -10, max: 50, noNaN: true }), fc.double({ min: -10, max: 40, noNaN: true })),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((points) => points.flat()),
});

/** Returns the distance of a point from a stroke's line. */
function distance(x: number, y: number, points: readonly number[]): number {
  let least = Infinity;
  for (let i = 0; i < points.length; i += 2) {
    const [x2 = 0, y2 = 0] = points.slice(i, i + 2);
    const [x1 = 0, y1 = 0] = i === 0 ? [x2, y2] : points.slice(i - 2, i);
    for (let step = 0; step <= 1; step += 1 / 512)
      least = Math.min(least, Math.hypot(x1 + step * (x2 - x1) - x, y1 + step * (y2 - y1) - y));
  }
  return least;
}

describe("a stroke", () => {
  it("sets or clears only pixels with centers within its radius", () => {
    fc.assert(
      fc.property(anyMask, anyStroke, (mask, stroke) => {
        const painted = { ...mask, data: mask.data.slice() };
        paint(painted, stroke);
        for (const [i, value] of painted.data.entries()) {
          const away = distance((i % mask.width) + 0.5, Math.floor(i / mask.width) + 0.5, stroke.points);
          // Steps along the line are as long as that.
          if (Math.abs(away - stroke.radius) < 0.15) continue;
          const wanted = stroke.mode === "brush" ? 255 : 0;
          expect(value).toBe(away < stroke.radius ? wanted : mask.data[i]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("is removed by the same stroke of the eraser", () => {
    const mask = empty(40, 30);
    const stroke = { mode: "brush", radius: 4, points: [5, 5, 30, 20] } as const;
    paint(mask, stroke);
    expect(mask.data.some((value) => value > 0)).toBe(true);
    paint(mask, { ...stroke, mode: "eraser" });
    expect(mask).toEqual(empty(40, 30));
  });
});

describe("the parts of a mask", () => {
  it("make up the mask without touching each other, the largest first", () => {
    fc.assert(
      fc.property(anyMask, (mask) => {
        const runs = rowRunsOf(mask);
        const count = partsOf(runs).length;
        const parts = Array.from({ length: count }, (_, i) => partOf(runs, i, count));
        const areas = parts.map(({ data }) => data.filter((value) => value > 0).length);
        expect(areas).toEqual(areas.toSorted((a, b) => b - a));
        if (count > 0) expect(union(parts)).toEqual(mask);
        const owner = mask.data.map((_, i) => 1 + parts.findIndex(({ data }) => data[i]));
        for (const [i, part] of owner.entries()) {
          const beside = [
            ...(i % mask.width > 0 ? [i - 1] : []),
            ...(i >= mask.width ? [i - mask.width] : []),
          ];
          for (const other of beside)
            if (part > 0 && (owner[other] ?? 0) > 0) expect(owner[other]).toBe(part);
        }
        for (const part of parts) expect(partsOf(rowRunsOf(part))).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });

  it("beyond the maximum are together in the last one", () => {
    const dots = draw(9, 1, (x) => Math.floor(x) % 2 === 0);
    expect(partOf(rowRunsOf(dots), 1, 2).data.filter((value) => value > 0)).toHaveLength(4);
  });
});

describe("a composed mask", () => {
  it("is a file as the service writes it, with its area and its number of parts", async () => {
    const [left, right] = [draw(20, 10, (x) => x < 4), draw(20, 10, (x) => x > 12)];
    const found = new Map([
      ["left", new Blob([maskFile(left, "cup")])],
      ["right", new Blob([maskFile(right, "cup")])],
    ]);
    const both: Composition = {
      from: "union",
      of: [
        { from: "found", object: "left" },
        { from: "found", object: "right" },
      ],
    };
    const made = await composeMask(both, found);
    expect(made).toMatchObject({ area: 40 + 80, parts: 2 });
    const strokes = [{ mode: "brush", radius: 1, points: [3, 5, 14, 5] } as const];
    expect(await composeMask({ from: "strokes", of: both, strokes }, found)).toMatchObject({ parts: 1 });
    const second = await composeMask({ from: "part", of: both, part: 1, parts: 2 }, found);
    expect(unpackMask(await readMaskPng(new Uint8Array(await second.png.arrayBuffer())))).toEqual(left);
    await expect(composeMask({ from: "found", object: "other" }, found)).rejects.toThrow("no mask other");
  });
});
