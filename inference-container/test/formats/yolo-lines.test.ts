import * as fc from "fast-check";
import { expect, test } from "vitest";
import { yoloLines } from "@segmentation/masks";
import { maskIou, maskOfPixels } from "../../../evaluation/src/measures/mask.ts";
import { readSet } from "../../../evaluation/src/read-set.ts";
import { drawnMasks, type DrawnMask, wavyBlobs } from "../support/masks/drawn-masks.ts";
import { only } from "../../../test/support/at.ts";
import { maskOfClass, pixelsOf } from "../support/masks/formats.ts";
import { runsOf } from "../support/masks/mask-pixels.ts";

const linesOf = ({ pixels, width, height }: DrawnMask, classIndex = 0): string[] => [
  ...yoloLines(runsOf(pixels, width, height), classIndex),
];

/** A line's points in pixels. */
function pointsOf(line: string, { width, height }: DrawnMask): (readonly [number, number])[] {
  const [, ...shares] = line.split(" ").map(Number);
  return shares.flatMap((share, i) => (i % 2 === 0 ? [[share * width, (shares[i + 1] ?? 0) * height]] : []));
}

/**
 * The number of polygons around each pixel's center: a ray from it to the left crosses those an odd number of times.
 */
function fill(lines: readonly string[], mask: DrawnMask): number[] {
  const filled = mask.pixels.map(() => 0);
  for (const line of lines) {
    const points = pointsOf(line, mask);
    for (const at of filled.keys()) {
      const [cx, cy] = [(at % mask.width) + 0.5, Math.floor(at / mask.width) + 0.5];
      const crossed = points.filter(([x, y], i) => {
        const [ox, oy] = points.at(i - 1) ?? [0, 0];
        return y > cy !== oy > cy && ((ox - x) * (cy - y)) / (oy - y) + x < cx;
      });
      filled[at] = (filled[at] ?? 0) + (crossed.length % 2);
    }
  }
  return filled;
}

/** The number of connected parts, by their sides, found by spreading. */
function partsOf({ pixels, width, height }: DrawnMask): number {
  const left = new Set([...pixels.keys()].filter((at) => pixels[at]));
  let parts = 0;
  for (const begin of left) {
    parts += 1;
    const open = [begin];
    left.delete(begin);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      const beside = [
        ...(x > 0 ? [at - 1] : []),
        ...(x < width - 1 ? [at + 1] : []),
        ...(y > 0 ? [at - width] : []),
        ...(y < height - 1 ? [at + width] : []),
      ];
      for (const other of beside) if (left.delete(other)) open.push(other);
    }
  }
  return parts;
}

test("the polygons of any mask have exactly its pixels inside, holes and islands included, and a line for each part [A4-7]", () => {
  fc.assert(
    fc.property(drawnMasks, (mask) => {
      const lines = linesOf(mask);
      expect(fill(lines, mask)).toEqual(mask.pixels.map(Number));
      expect(lines).toHaveLength(partsOf(mask));
    }),
    { numRuns: 1_000 },
  );
});

test("drawn again as the COCO API draws polygons, blobs with holes and islands have an IoU of 0.97 and more with their masks [A4-8]", () => {
  fc.assert(
    fc.property(wavyBlobs, (blob) => {
      const mask = maskOfPixels(Uint8Array.from(blob.pixels, Number), blob.width, blob.height);
      fc.pre(mask.area > 1_000);
      const drawn = maskOfClass(linesOf(blob, 3).join(""), 3, mask);
      expect(drawn && maskIou(drawn, mask)).toBeGreaterThanOrEqual(0.97);
    }),
    { numRuns: 100 },
  );
});

test("so have all labeled objects of photographs [A4-8]", async () => {
  const { set } = await readSet("samples/labelled/pictures", "samples/labelled/instances.json");
  expect(set.objects.length).toBeGreaterThan(30);
  for (const { mask } of set.objects) {
    const { width, height } = mask;
    const pixels = Array<boolean>(width * height).fill(false);
    for (const pixel of pixelsOf(mask)) pixels[pixel] = true;
    const drawn = maskOfClass(linesOf({ width, height, pixels }, 3).join(""), 3, mask);
    expect(drawn && maskIou(drawn, mask)).toBeGreaterThanOrEqual(0.97);
  }
});

/** A picture of text: `#` is set. */
const drawing = (...rows: string[]): DrawnMask => ({
  width: rows[0]?.length ?? 0,
  height: rows.length,
  pixels: rows.flatMap((row) => Array.from(row, (character) => character === "#")),
});

test("a cut joins a hole to its surroundings, and an island in the hole has a separate line [A4-7]", () => {
  const ring = drawing("######", "#....#", "#.##.#", "#....#", "######");
  const lines = linesOf(ring, 7);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["7", "7"]);
  expect(fill(lines.slice(0, 1), ring).filter(Boolean)).toHaveLength(18);
  expect(fill(lines.slice(1), ring).filter(Boolean)).toHaveLength(2);
});

test("parts that touch at a corner have separate lines, and the area that they enclose is one hole", () => {
  expect(linesOf(drawing("#.", ".#"))).toHaveLength(2);
  expect(linesOf(drawing("###", "#.#", "###"))).toHaveLength(1);
  expect(linesOf(drawing(".#.", "#.#", ".#."))).toHaveLength(4);
});

/** The number of an outline's turns: corners where one or three of the four pixels around are set. */
function turnsOf({ pixels, width, height }: DrawnMask): number {
  const isSet = (x: number, y: number): number => (x >= 0 && x < width && pixels[y * width + x] ? 1 : 0);
  let turns = 0;
  for (let y = 0; y <= height; y++)
    for (let x = 0; x <= width; x++)
      turns += (isSet(x - 1, y - 1) + isSet(x, y - 1) + isSet(x - 1, y) + isSet(x, y)) % 2;
  return turns;
}

test("a straight side needs two points, a pixel four, and a disc fewer than two for three turns of its outline", () => {
  const square = { width: 300, height: 300, pixels: Array<boolean>(90_000).fill(true) };
  const disc = {
    ...square,
    pixels: square.pixels.map((_, at) => Math.hypot((at % 300) - 150, Math.floor(at / 300) - 150) < 140),
  };
  const counts = [square, drawing("#"), disc].map((mask) =>
    linesOf(mask).map((line) => pointsOf(line, mask).length),
  );
  expect(counts.slice(0, 2)).toEqual([[8], [4]]);
  expect(only(counts[2] ?? [])).toBeLessThan((turnsOf(disc) * 2) / 3);
});

test("every point is within the picture, and a mask without pixels has no line", () => {
  const { pixels, ...size } = drawing("####", "####");
  const [line = ""] = linesOf({ pixels, ...size });
  for (const [x, y] of pointsOf(line, { pixels, ...size })) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(4);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(2);
  }
  expect(linesOf(drawing("....", "...."))).toEqual([]);
});
