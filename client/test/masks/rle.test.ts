import fc from "fast-check";
import { decodeRle, encodeRle } from "segmentation-client/masks";
import { describe, expect, it } from "vitest";
import {
  decodeRle as plainPixels,
  plainRle,
} from "../../../inference-container/test/support/masks/plain-rle.ts";
import { anyMask } from "../support/arbitrary-masks.ts";
import { draw } from "../support/shapes.ts";
import { isLong } from "../../../inference-container/test/support/form.ts";

describe("the run-length encoding", () => {
  it("is COCO's, and gives back the pixels", () => {
    fc.assert(
      fc.property(anyMask, (mask) => {
        const { width, height, data } = mask;
        const rle = encodeRle(mask);
        const pixels = [...data].map((value) => value > 0);
        expect(rle).toEqual({ size: [height, width], counts: plainRle(pixels, width, height) });
        expect(decodeRle(rle)).toEqual(mask);
      }),
    );
  });

  it.runIf(isLong)("carries runs of any length: a picture of 12 megapixels", () => {
    const mask = draw(4_000, 3_000, (x, y) => x > 1_000 && y > 1_500);
    const rle = encodeRle(mask);
    const pixels = plainPixels({ size: [3_000, 4_000], counts: rle.counts });
    expect(pixels.filter(Boolean)).toHaveLength(3_000 * 1_500);
    expect(Buffer.from(decodeRle(rle).data).equals(mask.data)).toBe(true);
  });

  it("refuses malformed text, and runs that do not match its size", () => {
    const { size, counts } = encodeRle(draw(9, 7, (x, y) => x + y < 8));
    const refused = [counts.slice(0, -1), `${counts}1`, "~", "o", "oooooooo", "-", ""];
    for (const text of refused) expect(() => decodeRle({ size, counts: text }), text).toThrow(RangeError);
    expect(() => decodeRle({ size: [7, 8], counts })).toThrow("do not add up to its size");
  });
});
