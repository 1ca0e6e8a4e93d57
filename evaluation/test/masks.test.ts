import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packCounts } from "@segmentation/masks";
import { plainRle } from "../../inference-container/test/support/masks/plain-rle.ts";
import { boundaryOf } from "../src/measures/boundary.ts";
import { innermost } from "../src/measures/innermost.ts";
import {
  maskIou,
  maskOfPixels,
  maskOfRle,
  maskOfSwitches,
  overlap,
  shareInCrowd,
} from "../src/measures/mask.ts";
import { maskOfPolygons } from "../src/measures/polygon.ts";
import { rectangle } from "./squares.ts";

const side = fc.integer({ min: 1, max: 12 });
const pixelsOf = (count: number) => fc.array(fc.boolean(), { minLength: count, maxLength: count });
const pair = fc.tuple(side, side).chain(([width, height]) =>
  fc.record({
    width: fc.constant(width),
    height: fc.constant(height),
    a: pixelsOf(width * height),
    b: pixelsOf(width * height),
  }),
);
const bytes = (pixels: readonly boolean[]): Uint8Array => Uint8Array.from(pixels, Number);

describe("two masks", () => {
  it("overlap in the pixels that both have, and their IoU divides that by the pixels that either has", () => {
    fc.assert(
      fc.property(pair, ({ width, height, a, b }) => {
        const [first, second] = [
          maskOfPixels(bytes(a), width, height),
          maskOfPixels(bytes(b), width, height),
        ];
        const both = a.filter((set, i) => set && b[i]).length;
        const either = a.filter((set, i) => set || b[i]).length;
        expect(first.area).toBe(a.filter(Boolean).length);
        expect(overlap(first, second)).toBe(both);
        expect(maskIou(first, second)).toBe(either === 0 ? 0 : both / either);
      }),
    );
  });

  it("of two sizes are not compared", () => {
    const small = maskOfPixels(new Uint8Array(4).fill(1), 2, 2);
    expect(() => overlap(rectangle(0, 0, 2, 2), small)).toThrow("two sizes");
  });

  it("agree by the detection's share if one is a crowd", () => {
    expect(shareInCrowd(rectangle(0, 0, 10, 10), rectangle(5, 0, 190, 190))).toBe(0.5);
    expect(shareInCrowd(rectangle(0, 0, 10, 10), rectangle(50, 50, 10, 10))).toBe(0);
  });
});

describe("a run-length encoding", () => {
  it("decodes to the pixels that it was made of, from its text and from its numbers", () => {
    fc.assert(
      fc.property(pair, ({ width, height, a }) => {
        const mask = maskOfPixels(bytes(a), width, height);
        expect(maskOfRle([height, width], plainRle(a, width, height))).toEqual(mask);
        const numbers = [...mask.spans].map((place, i, places) => place - (places[i - 1] ?? 0));
        expect(maskOfRle([height, width], [...numbers, width * height - (mask.spans.at(-1) ?? 0)])).toEqual(
          mask,
        );
      }),
    );
  });

  it("may have runs of millions of pixels, each far shorter or longer than the one before", () => {
    const places = Int32Array.of(10, 30_000_000, 30_000_001, 30_000_002);
    const mask = maskOfSwitches(10_000, 10_000, places.slice());
    expect(maskOfRle([10_000, 10_000], packCounts(places, 100_000_000))).toEqual(mask);
    expect(mask.area).toBe(29_999_991);
  });

  it.each([
    ["runs of too few pixels", [3], "3 pixels in all, but 2 × 2 are 4"],
    ["runs of too many pixels", [3, 2], "5 pixels in all"],
    ["a negative run", "3N2", "negative"],
    ["characters of another code", "4 \u0000", "not a COCO run-length encoding"],
    ["a text that is cut off", "T", "cut off"],
    ["a number of more than 32 bits", "oooooooo0", "not a COCO run-length encoding"],
  ])("with %s is refused", (_, counts, sentence) => {
    expect(() => maskOfRle([2, 2], counts)).toThrow(sentence);
  });
});

describe("polygons", () => {
  it("have the pixels whose centers they enclose", () => {
    expect(maskOfPolygons([[10, 20, 40, 20, 40, 60, 10, 60]], 200, 200)).toEqual(rectangle(10, 20, 30, 40));
  });

  it("that overlap are one object", () => {
    const both = maskOfPolygons(
      [
        [0, 0, 20, 0, 20, 10, 0, 10],
        [10, 0, 30, 0, 30, 10, 10, 10],
      ],
      200,
      200,
    );
    expect(both).toEqual(rectangle(0, 0, 30, 10));
  });

  it("are cut off at the picture's edges", () => {
    expect(maskOfPolygons([[-50, -50, 10, -50, 10, 10, -50, 10]], 200, 200)).toEqual(rectangle(0, 0, 10, 10));
    expect(maskOfPolygons([[190, 190, 900, 190, 900, 900, 190, 900]], 200, 200)).toEqual(
      rectangle(190, 190, 10, 10),
    );
  });
});

describe("the innermost point", () => {
  it("is the center of the mask's pixel from which the nearest one outside is farthest", () => {
    fc.assert(
      fc.property(pair, ({ width, height, a }) => {
        const point = innermost(maskOfPixels(bytes(a), width, height));
        const depths = a.map((set, i) => (set ? depthOf(a, width, height, i) : 0));
        const deepest = Math.max(...depths);
        if (point === null) {
          expect(deepest).toBe(0);
          return;
        }
        const at = Math.floor(point.y) * width + Math.floor(point.x);
        expect([point.x % 1, point.y % 1, depths[at]]).toEqual([0.5, 0.5, deepest]);
      }),
    );
  });

  it("of an object with a hole lies outside the hole", () => {
    const ring = maskOfPixels(
      Uint8Array.from({ length: 81 }, (_, i) => Number(Math.abs((i % 9) - 4) > 1 || i < 27 || i >= 54)),
      9,
      9,
    );
    const { x, y } = innermost(ring) ?? expect.fail();
    expect(Math.max(Math.abs(x - 4.5), Math.abs(y - 4.5))).toBe(3);
  });
});

/**
 * The distance of a pixel from the next one outside the mask or the picture: 3 for a straight step, 4 for a diagonal
 * one.
 */
function depthOf(mask: readonly boolean[], width: number, height: number, pixel: number): number {
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  let least = Infinity;
  for (let outY = -1; outY <= height; outY++)
    for (let outX = -1; outX <= width; outX++) {
      const isInside = outX >= 0 && outY >= 0 && outX < width && outY < height;
      if (isInside && (mask[outY * width + outX] ?? false)) continue;
      const [across, down] = [Math.abs(outX - x), Math.abs(outY - y)];
      least = Math.min(least, 3 * Math.max(across, down) + Math.min(across, down));
    }
  return least;
}

describe("a boundary", () => {
  it("is the mask without what lies more than 2 % of the diagonal inside", () => {
    // The diagonal of 200 × 200 is 282.8.
    const { area } = boundaryOf(rectangle(50, 50, 100, 100));
    expect(area).toBe(100 * 100 - 88 * 88);
  });

  it("runs along the picture's edge too", () => {
    expect(boundaryOf(rectangle(0, 0, 100, 200)).area).toBe(100 * 200 - 88 * 188);
  });

  it("of a thin object is the object", () => {
    expect(boundaryOf(rectangle(3, 4, 12, 150))).toEqual(rectangle(3, 4, 12, 150));
  });
});
