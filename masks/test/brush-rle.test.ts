import {
  type Bitmap,
  brushRleOf,
  encodeRle,
  polygonsOf,
  polygonsOfRuns,
  rowRunsOf,
  runsOfRle,
} from "@segmentation/masks";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../test/support/brush-words.ts";

const rgbaOf = ({ data }: Bitmap): number[] => [...data].flatMap((value) => [value, value, value, value]);

/** A mask of long and short runs. */
const mask = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    seed: fc.array(fc.nat(200)),
  })
  .map(({ width, height, seed }): Bitmap => {
    const data = new Uint8Array(width * height);
    let at = 0;
    for (const [i, length] of seed.entries()) data.fill(i % 2 === 0 ? 0 : 255, at, (at += length));
    return { width, height, data };
  });

const bitmap = (width: number, height: number, isSet: (x: number, y: number) => boolean): Bitmap => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height }, (_, i) =>
    isSet(i % width, Math.floor(i / width)) ? 255 : 0,
  ),
});

describe("Label Studio's run lengths", () => {
  // As the package that Label Studio's editor decodes them with wrote them.
  it.each<readonly [string, Bitmap, number[]]>([
    ["an empty mask", bitmap(2, 1, () => false), [0, 0, 0, 8, 57, 27, 252, 224, 0]],
    ["a single pixel", bitmap(1, 1, () => true), [0, 0, 0, 4, 57, 27, 252, 127, 224]],
    [
      "a column",
      bitmap(3, 2, (x) => x === 1),
      [0, 0, 0, 24, 57, 27, 252, 96, 17, 255, 206, 1, 31, 252, 96, 0],
    ],
    [
      "a rectangle",
      bitmap(40, 30, (x, y) => x >= 3 && x < 13 && y >= 4 && y < 9),
      [
        0, 0, 18, 192, 57, 27, 255, 2, 139, 0, 196, 255, 249, 220, 3, 19, 255, 231, 112, 12, 79, 255, 157,
        192, 49, 63, 254, 119, 0, 196, 255, 252, 54, 44, 0,
      ],
    ],
  ])("of %s are read as the mask, those known from elsewhere and our own [A21-2]", (_, drawn, known) => {
    expect(wordsOf(known)).toEqual(rgbaOf(drawn));
    expect(wordsOf(brushRleOf(rowRunsOf(drawn)))).toEqual(rgbaOf(drawn));
  });

  it("of any mask are read as the mask [A21-2]", () => {
    fc.assert(
      fc.property(mask, (drawn) => {
        expect(wordsOf(brushRleOf(rowRunsOf(drawn)))).toEqual(rgbaOf(drawn));
      }),
    );
  });

  it("have as many codes as a long run needs", () => {
    const drawn = bitmap(300, 300, (_, y) => y >= 100);
    expect(wordsOf(brushRleOf(rowRunsOf(drawn)))).toEqual(rgbaOf(drawn));
  });
});

describe("the runs of an encoded mask", () => {
  it("are those of its pixels, and so are their outlines", () => {
    fc.assert(
      fc.property(mask, (drawn) => {
        const runs = runsOfRle(encodeRle(drawn));
        expect(runs).toEqual(rowRunsOf(drawn));
        expect(polygonsOfRuns(runs, 1)).toEqual(polygonsOf(drawn, 1));
      }),
    );
  });

  it("are refused if they do not match its size", () => {
    const { counts } = encodeRle(bitmap(3, 2, (x) => x === 1));
    for (const size of [[2, 4], [0, 0], []]) expect(() => runsOfRle({ size, counts })).toThrow(RangeError);
  });
});
