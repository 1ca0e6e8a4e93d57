import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeRegions } from "../../src/engine/run-picture.ts";

const PICTURE = { width: 600, height: 400 };
const box = (x: number, y: number, width: number, height: number) => ({
  index: 3,
  box: [x, y, width, height] as const,
});
const click = (x: number, y: number, label: 0 | 1 = 1) => ({ index: 3, points: [{ x, y, label }] });

const within = (most: number) => fc.double({ min: 0, max: most, noNaN: true });

describe("a region inside the picture", () => {
  test("that is a box becomes the box's corners", () => {
    fc.assert(
      fc.property(within(299), within(199), within(299), within(199), (x, y, w, h) => {
        const [width, height] = [w + 1, h + 1];
        expect(placeRegions([box(x, y, width, height)], PICTURE)).toEqual([
          { box: [x, y, x + width, y + height] },
        ]);
      }),
    );
  });

  test("that is points stays as it is", () => {
    const points = [
      { x: 0, y: 0, label: 1 },
      { x: 599.5, y: 399, label: 0 },
    ] as const;
    expect(placeRegions([{ index: 0, points }], PICTURE)).toEqual([{ points }]);
  });

  test("is cut off where its box reaches beyond the picture by no more than rounding does", () => {
    expect(placeRegions([box(-0.4, -1, 601, 401.5)], PICTURE)).toEqual([{ box: [0, 0, 600, 400] }]);
  });
});

test.for([
  ["a box that begins left of it", box(-1.1, 0, 50, 50)],
  ["a box that begins above it", box(0, -2, 50, 50)],
  ["a box that ends right of it", box(560, 0, 41.1, 50)],
  ["a box that ends below it", box(0, 360, 50, 41.1)],
  ["a box that begins where it ends", box(600, 0, 1, 50)],
  ["a box far away", box(1e300, 0, 1e300, 50)],
  ["a point left of it", click(-0.1, 9)],
  ["a point above it", click(9, -0.1)],
  ["a point on its right edge", click(600, 9)],
  ["a point on its lower edge", click(9, 400)],
  ["a point outside the object", click(700, 9, 0)],
] as const)("%s is refused with the picture's size and the region's index [A5-8]", ([, region]) => {
  expect(() => placeRegions([box(0, 0, 9, 9), region], PICTURE)).toThrow(
    expect.objectContaining({
      code: "region_outside_image",
      message: expect.stringMatching(/^The region regions\[3\] .* 600 × 400 pixels/),
    }),
  );
});
