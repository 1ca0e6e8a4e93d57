import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, tinted } from "../../../src/render/coverage.ts";
import { decodeMask } from "../../../src/viewer/masks/packed.ts";

const side = fc.integer({ min: 1, max: 40 });

/** A mask's pixels, and a drawing that is as large or smaller. */
const cases = fc.tuple(side, side, fc.integer({ min: 1, max: 100 })).chain(([width, height, percent]) =>
  fc.record({
    picture: fc.constant({ width, height }),
    drawing: fc.constant({
      width: Math.max(1, Math.round((width * percent) / 100)),
      height: Math.max(1, Math.round((height * percent) / 100)),
    }),
    data: fc
      .array(fc.constantFrom(0, 255), { minLength: width * height, maxLength: width * height })
      .map((pixels) => Uint8Array.from(pixels)),
  }),
);

describe("a mask in a drawing of its picture", () => {
  it("covers each pixel by the share of the picture's pixels there that are inside", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ picture, drawing, data }) => {
        const { x, y, width, alpha } = coverageOf(await decodeMask({ ...picture, data }), {
          picture,
          drawing,
        });
        const all = new Map<string, number[]>();
        for (let at = 0; at < data.length; at++) {
          const toX = Math.min(
            Math.floor((at % picture.width) * (drawing.width / picture.width)),
            drawing.width - 1,
          );
          const toY = Math.min(
            Math.floor(Math.floor(at / picture.width) * (drawing.height / picture.height)),
            drawing.height - 1,
          );
          all.set(`${toX},${toY}`, [...(all.get(`${toX},${toY}`) ?? []), data[at] ?? 0]);
        }
        const expected = new Map(
          [...all].map(([key, values]) => [key, Math.round(values.reduce((a, b) => a + b) / values.length)]),
        );
        const drawn = new Map([...expected.keys()].map((key) => [key, 0]));
        for (const [i, value] of alpha.entries())
          drawn.set(`${x + (i % width)},${y + Math.floor(i / width)}`, value);
        expect(drawn).toEqual(expected);
      }),
    );
  });

  it("is filled half, with a full edge, in its color", () => {
    const alpha = new Uint8Array(25).fill(255);
    const pixels = tinted({ x: 0, y: 0, width: 5, height: 5, alpha }, [10, 20, 30], 1);
    const strengths = Array.from({ length: 25 }, (_, i) => pixels[i * 4 + 3]);
    expect([...pixels.subarray(0, 4)]).toEqual([10, 20, 30, 255]);
    expect(strengths.slice(5, 10)).toEqual([255, 128, 128, 128, 255]);
  });
});
