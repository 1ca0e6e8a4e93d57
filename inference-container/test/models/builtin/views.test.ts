import type { Corners } from "@segmentation/masks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Views } from "../../../src/models/builtin/manifest.ts";
import { isCutOff, viewsOf } from "../../../src/models/builtin/views.ts";

const INPUT = { width: 448, height: 448 };
const VIEWS: Views = { mirrored: true, parts: [3, 2], overlap: 0.4, margin: 0.04 };
const side = fc.integer({ min: 1, max: 9_000 });

describe("the views of a picture", () => {
  it("are the whole, its mirror image, and three parts along the longer side in each of two rows", () => {
    const landscape = viewsOf({ width: 1000, height: 600 }, INPUT, VIEWS);
    expect(landscape).toHaveLength(8);
    expect(landscape.slice(0, 2)).toEqual([
      { x: 0, y: 0, width: 1000, height: 600, mirrored: false },
      { x: 0, y: 0, width: 1000, height: 600, mirrored: true },
    ]);
    expect(landscape.slice(2).map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [272, 0],
      [545, 0],
      [0, 225],
      [272, 225],
      [545, 225],
    ]);
    const portrait = viewsOf({ width: 600, height: 1000 }, INPUT, VIEWS);
    expect(portrait.map(({ x, y, width, height }) => [y, x, height, width])).toEqual(
      expect.arrayContaining(landscape.map(({ x, y, width, height }) => [x, y, width, height])),
    );
  });

  it("are no parts if the detector sees every pixel at once", () => {
    expect(viewsOf(INPUT, INPUT, { ...VIEWS, mirrored: false })).toHaveLength(1);
    expect(viewsOf({ width: 449, height: 20 }, INPUT, { ...VIEWS, mirrored: false })).toHaveLength(7);
  });

  it("lie inside the picture, and every pixel is in a part", () => {
    fc.assert(
      fc.property(
        side,
        side,
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 0.6, noNaN: true }),
        (width, height, count, overlap) => {
          const views = viewsOf(
            { width, height },
            { width: 1, height: 1 },
            { ...VIEWS, parts: [count, 2], overlap },
          );
          for (const view of views) {
            expect(view.x + view.width).toBeLessThanOrEqual(width);
            expect(view.y + view.height).toBeLessThanOrEqual(height);
            expect(Math.min(view.x, view.y, view.width - 1, view.height - 1)).toBeGreaterThanOrEqual(0);
          }
          const parts = views.slice(2);
          const ends = parts.map(({ x, width: across }) => x + across);
          for (const end of ends)
            expect(end === width || parts.some(({ x, width: across }) => x <= end && x + across > end)).toBe(
              true,
            );
        },
      ),
    );
  });
});

describe("a box in a part of a picture", () => {
  const picture = { width: 1000, height: 600 };
  const part = { x: 200, y: 0, width: 400, height: 300, mirrored: false };

  it.each<[string, Corners, boolean]>([
    ["in its middle", [300, 100, 400, 200], false],
    ["at its left edge, inside the picture", [210, 100, 400, 200], true],
    ["at its right edge, inside the picture", [300, 100, 590, 200], true],
    ["at its lower edge, inside the picture", [300, 100, 400, 295], true],
    ["at its upper edge, which is the picture's", [300, 0, 400, 200], false],
  ])("%s is taken as cut off: %s → %s", (_, box, cut) => {
    expect(isCutOff(box, part, picture, 0.04)).toBe(cut);
  });

  it("that is the whole picture is never cut off", () => {
    const whole = { x: 0, y: 0, ...picture, mirrored: false };
    expect(isCutOff([0, 0, 1000, 600], whole, picture, 0.04)).toBe(false);
  });
});
