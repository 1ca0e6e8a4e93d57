import { type Bitmap, iou } from "@segmentation/masks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differencesOf, type NamedMask, overlap } from "../../../src/compare/differences.ts";
import { decodeMask } from "../../../src/viewer/masks/packed.ts";

const [WIDTH, HEIGHT] = [37, 11];

const bitmapOf = (isSet: (x: number, y: number) => boolean): Bitmap => ({
  width: WIDTH,
  height: HEIGHT,
  data: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) =>
    isSet(i % WIDTH, Math.floor(i / WIDTH)) ? 255 : 0,
  ),
});

/** A mask: the rectangle from one corner to another, without the second. */
const rectangle = (left: number, top: number, right: number, bottom: number): Bitmap =>
  bitmapOf((x, y) => x >= left && x < right && y >= top && y < bottom);

const speckled = fc
  .tuple(
    fc.array(fc.boolean(), { minLength: WIDTH * HEIGHT, maxLength: WIDTH * HEIGHT }),
    fc.nat(WIDTH),
    fc.nat(WIDTH),
  )
  .map(([set, a, b]) =>
    bitmapOf((x, y) => x >= Math.min(a, b) && x <= Math.max(a, b) && set[y * WIDTH + x] === true),
  );

const named = async (masks: Readonly<Record<string, Bitmap>>): Promise<NamedMask[]> =>
  await Promise.all(
    Object.entries(masks).map(async ([id, mask]): Promise<NamedMask> => [id, await decodeMask(mask)]),
  );

describe("two masks of a picture", () => {
  it("overlap by their common share of pixels, at any place", async () => {
    await fc.assert(
      fc.asyncProperty(speckled, speckled, async (a, b) => {
        expect(overlap(await decodeMask(a), await decodeMask(b))).toBe(iou(a, b));
      }),
    );
  });
});

describe("the objects of two searches", () => {
  it("are the same, have another outline, or belong to one search alone, under any name", async () => {
    const ours = await named({
      cup: rectangle(0, 0, 10, 10),
      spoon: rectangle(12, 0, 20, 10),
      saucer: rectangle(22, 0, 30, 10),
    });
    const theirs = await named({
      mug: rectangle(0, 0, 10, 10),
      teaspoon: rectangle(12, 0, 20, 7),
      plate: rectangle(22, 0, 30, 4),
    });
    expect(Object.fromEntries(differencesOf(ours, theirs))).toEqual({
      cup: "same",
      mug: "same",
      spoon: "changed",
      teaspoon: "changed",
      saucer: "only",
      plate: "only",
    });
  });

  it("match at most one of the other search: the greatest overlap", async () => {
    const ours = await named({ whole: rectangle(0, 0, 20, 10), most: rectangle(0, 0, 19, 10) });
    const theirs = await named({ again: rectangle(0, 0, 20, 10) });
    expect(Object.fromEntries(differencesOf(ours, theirs))).toEqual({
      whole: "same",
      again: "same",
      most: "only",
    });
  });

  it("differ in nothing from themselves, and are found by both in pairs", async () => {
    const some = fc.array(speckled, { maxLength: 4 });
    const byName = (masks: readonly Bitmap[], prefix: string) =>
      named(Object.fromEntries(masks.map((mask, i) => [`${prefix}${i}`, mask])));
    await fc.assert(
      fc.asyncProperty(some, some, async (a, b) => {
        const [ours, theirs] = [await byName(a, "our"), await byName(b, "their")];
        const all = differencesOf(ours, theirs);
        const count = (masks: readonly NamedMask[], what: string) =>
          masks.filter(([id]) => all.get(id) === what).length;
        for (const what of ["same", "changed"]) expect(count(ours, what)).toBe(count(theirs, what));
        const twins = await byName(
          a.filter((mask) => mask.data.some((pixel) => pixel > 0)),
          "twin",
        );
        const itself = differencesOf(
          twins,
          twins.map(([id, mask]) => [`${id}'`, mask]),
        );
        expect(new Set(itself.values()).has("only")).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
