import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Box } from "@segmentation/masks";
import { within, without } from "../../../src/viewer/paint/cached-frame.ts";

const box = fc.tuple(
  fc.integer({ min: -5, max: 9 }),
  fc.integer({ min: -5, max: 9 }),
  fc.integer({ min: 1, max: 9 }),
  fc.integer({ min: 1, max: 9 }),
);

const has = ([x, y, width, height]: Box, [atX, atY]: readonly [number, number]): boolean =>
  atX >= x && atX < x + width && atY >= y && atY < y + height;

describe("a box of the frame within another", () => {
  it("has each pixel drawn once, inside and outside the box", () => {
    fc.assert(
      fc.property(box, box, (whole, inner) => {
        const part = within(whole, inner);
        fc.pre(part[2] > 0 && part[3] > 0);
        const drawn = [part, ...without(whole, part)];
        for (let x = -6; x < 20; x++)
          for (let y = -6; y < 20; y++)
            expect(drawn.filter((each) => has(each, [x, y])).length).toBe(has(whole, [x, y]) ? 1 : 0);
      }),
    );
  });
});
