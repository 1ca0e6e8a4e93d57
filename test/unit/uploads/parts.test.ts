import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PART_BYTES, partSizesOf } from "../../../src/uploads/rules/parts.ts";

describe("the parts of a file", () => {
  it("are the file, all of one size but the last, and no more than an answer can name", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000_000_000 }), (size) => {
        const sizes = partSizesOf(size);
        expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(size);
        const last = sizes.at(-1) ?? 0;
        const [each = last] = sizes;
        expect(new Set(sizes.slice(0, -1))).toEqual(new Set(sizes.length > 1 ? [each] : []));
        expect(last).toBeGreaterThan(0);
        expect(last).toBeLessThanOrEqual(each);
        expect(sizes.length).toBeLessThanOrEqual(1_000);
        if (sizes.length > 1) expect(each).toBeGreaterThanOrEqual(PART_BYTES);
      }),
    );
  });

  it("of a small file are one", () => {
    expect(partSizesOf(1)).toEqual([1]);
    expect(partSizesOf(PART_BYTES)).toEqual([PART_BYTES]);
    expect(partSizesOf(PART_BYTES + 1)).toEqual([PART_BYTES, 1]);
  });
});
