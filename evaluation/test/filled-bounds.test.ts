import fc from "fast-check";
import { expect, it } from "vitest";
import { filledBounds } from "../src/measures/bounds.ts";
import { maskOfPixels } from "../src/measures/mask.ts";

const side = fc.integer({ min: 1, max: 9 });

it("the filled bounds of a mask are the pixels of its bounding box", () => {
  fc.assert(
    fc.property(
      side,
      side,
      fc.array(fc.boolean(), { minLength: 81, maxLength: 81 }),
      (width, height, set) => {
        const pixels = Uint8Array.from({ length: width * height }, (_, i) => (set[i] && set[80 - i] ? 1 : 0));
        const at = [...pixels.keys()].filter((i) => pixels[i] === 1);
        const [xs, ys] = [at.map((i) => i % width), at.map((i) => Math.floor(i / width))];
        const inside = Uint8Array.from(pixels, (_, i) => {
          const [x, y] = [i % width, Math.floor(i / width)];
          const within =
            x >= Math.min(...xs) && x <= Math.max(...xs) && y >= Math.min(...ys) && y <= Math.max(...ys);
          return within ? 1 : 0;
        });
        expect(filledBounds(maskOfPixels(pixels, width, height))).toEqual(
          maskOfPixels(inside, width, height),
        );
      },
    ),
  );
});
