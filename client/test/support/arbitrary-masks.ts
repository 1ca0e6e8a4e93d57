import fc from "fast-check";
import type { Bitmap } from "segmentation-client";
import { draw } from "./shapes.ts";

/** Masks of any pixels, up to 40 × 20. */
export const anyMask: fc.Arbitrary<Bitmap> = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }))
  .chain(([width, height]) =>
    fc
      .array(fc.constantFrom(0, 255), { minLength: width * height, maxLength: width * height })
      .map((pixels) => ({ width, height, data: Uint8Array.from(pixels) })),
  );

const ellipse = fc.record({
  x: fc.integer({ min: 40, max: 110 }),
  y: fc.integer({ min: 40, max: 80 }),
  wide: fc.integer({ min: 20, max: 40 }),
  high: fc.integer({ min: 20, max: 40 }),
});

/** Parts of an object's mask: a few ellipses together, less a hole. */
export const anyObject = fc.record({
  ellipses: fc.array(ellipse, { minLength: 1, maxLength: 4 }),
  hole: fc.integer({ min: 0, max: 8 }),
});

/** Draws an object of over 1,000 pixels. */
export const drawObject = ({
  ellipses,
  hole,
}: typeof anyObject extends fc.Arbitrary<infer T> ? T : never): Bitmap =>
  draw(150, 120, (x, y) => {
    const [first] = ellipses;
    if (first !== undefined && Math.hypot(x - first.x, y - first.y) < hole) return false;
    return ellipses.some((one) => ((x - one.x) / one.wide) ** 2 + ((y - one.y) / one.high) ** 2 < 1);
  });
