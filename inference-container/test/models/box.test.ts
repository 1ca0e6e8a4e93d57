import type { Corners } from "@segmentation/masks";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxIou, clipBox, suppress } from "../../src/models/box.ts";

const coordinate = fc.integer({ min: -50, max: 150 });
const box = fc
  .tuple(coordinate, coordinate, fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 80 }))
  .map(([x, y, w, h]): Corners => [x, y, x + w, y + h]);
const scored = fc.record({ box, score: fc.float({ min: 0, max: 1, noNaN: true }) });

describe("the IoU of boxes", () => {
  it("is 1 with itself, symmetric and within 0 and 1", () => {
    fc.assert(
      fc.property(box, box, (a, b) => {
        expect(boxIou(a, a)).toBe(1);
        expect(boxIou(a, b)).toBe(boxIou(b, a));
        expect(boxIou(a, b)).toBeGreaterThanOrEqual(0);
        expect(boxIou(a, b)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("is the counted share of common pixels", () => {
    expect(boxIou([0, 0, 2, 2], [1, 1, 3, 3])).toBeCloseTo(1 / 7);
  });
});

describe("non-maximum suppression", () => {
  it("keeps boxes that don't overlap each other, best first, and drops only covered ones", () => {
    fc.assert(
      fc.property(fc.array(scored, { maxLength: 40 }), fc.constantFrom(0.3, 0.5, 0.7), (boxes, iou) => {
        const kept = suppress(boxes, iou);
        for (const [i, a] of kept.entries())
          for (const b of kept.slice(i + 1)) {
            expect(boxIou(a.box, b.box)).toBeLessThanOrEqual(iou);
            expect(a.score).toBeGreaterThanOrEqual(b.score);
          }
        for (const lost of boxes.filter((candidate) => !kept.includes(candidate)))
          expect(kept.some((k) => k.score >= lost.score && boxIou(k.box, lost.box) > iou)).toBe(true);
      }),
    );
  });
});

describe("clipping", () => {
  it("returns a box inside the picture with sides of a pixel at least, or none", () => {
    fc.assert(
      fc.property(box, (raw) => {
        const clipped = clipBox(raw, 100, 60);
        if (clipped === undefined) return;
        const [x1, y1, x2, y2] = clipped;
        expect(x1 >= 0 && y1 >= 0 && x2 <= 100 && y2 <= 60).toBe(true);
        expect(x2 - x1 >= 1 && y2 - y1 >= 1).toBe(true);
      }),
    );
  });

  it("returns none for a box outside the picture", () => {
    expect(clipBox([110, 0, 140, 20], 100, 60)).toBeUndefined();
  });
});
