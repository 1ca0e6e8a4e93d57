import { inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deflate } from "../../src/masks/png/deflate.ts";
import { toScanlines } from "../../src/masks/png/scanlines.ts";
import { runsOf, scanlinesOf } from "../support/mask-pixels.ts";

/** The mask's stream; checks that zlib, which verifies the checksum at its end, reads the scanlines from it. */
function checkedStream(pixels: readonly boolean[], width: number, height: number): Buffer {
  const stream = deflate(toScanlines(runsOf(pixels, width, height)));
  const scanlines = scanlinesOf(pixels, width, height);
  expect(inflateSync(stream).equals(scanlines)).toBe(true);
  // Nine bits per byte by the fixed code, then the stream's header, the block's header and end, and the checksum.
  expect(stream.length).toBeLessThanOrEqual(Math.ceil((scanlines.length * 9) / 8) + 8);
  return stream;
}

function draw(width: number, height: number, isSet: (x: number, y: number) => boolean): boolean[] {
  return Array.from({ length: width * height }, (_, i) => isSet(i % width, Math.floor(i / width)));
}

/** Rows of pixels, many of which equal the row above. */
const masks = fc.integer({ min: 1, max: 90 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    rows: fc
      .array(
        fc.record({
          row: fc.oneof(
            fc.array(fc.boolean(), { minLength: width, maxLength: width }),
            fc.constantFrom(true, false).map((set) => Array.from({ length: width }, () => set)),
          ),
          times: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 300 })),
        }),
        { minLength: 1, maxLength: 12 },
      )
      .map((rows) => rows.flatMap(({ row, times }) => Array.from({ length: times }, () => row))),
  }),
);

test("a stream holds the scanlines of any mask", () => {
  fc.assert(
    fc.property(masks, ({ width, rows }) => {
      checkedStream(rows.flat(), width, rows.length);
    }),
    { numRuns: 300 },
  );
});

test("a stream holds stretches of every length, beside bytes of every value", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom(0, 0xff),
          fc.integer({ min: 1, max: 1200 }),
          fc.integer({ min: 0, max: 255 }),
        ),
        { minLength: 1, maxLength: 20 },
      ),
      fc.integer({ min: 1, max: 3 }),
      (stretches, rows) => {
        const row = stretches.flatMap(([value, length, between]) => [
          ...Array.from({ length: length * 8 }, () => value > 0),
          ...draw(8, 1, (x) => ((between >> x) & 1) === 1),
        ]);
        checkedStream(Array.from({ length: rows }, () => row).flat(), row.length, rows);
      },
    ),
  );
});

test.for([1, 2, 7, 8, 9, 16, 17, 40, 64, 65, 520, 2056, 2057, 2064, 2072, 8165])(
  "rows of %i pixels that equal the one above them are copied",
  (width) => {
    for (const height of [1, 2, 3, 4, 100]) {
      checkedStream(Array(width * height).fill(true), width, height);
      checkedStream(Array(width * height).fill(false), width, height);
      const slanted = draw(width, height, (x, y) => x % 11 > 3 && x > y >> 3);
      checkedStream(slanted, width, height);
    }
    // One full row, then a length and a distance, some three bytes, per 258 bytes of the others.
    const row = 1 + Math.ceil(width / 8);
    const mixed = draw(width, 500, (x) => (x * x) % 7 < 3);
    expect(checkedStream(mixed, width, 500).length).toBeLessThan(100 + 2 * row + (500 * row * 3) / 258);
  },
);

test.for([262_120, 262_128, 262_136, 262_137, 300_000])(
  "rows of %i pixels, about as long as deflate looks back, are right",
  (width) => {
    const pixels = draw(width, 4, (x, y) => x > 5_000 && x < 100_000 + Math.max(y, 2));
    expect(checkedStream(pixels, width, 4).length).toBeLessThan(2_500);
  },
);

test.for([
  ["a checkerboard", (x: number, y: number) => (x + y) % 2 === 0],
  ["columns of one pixel", (x: number) => x % 2 === 0],
  ["rows of one pixel", (_: number, y: number) => y % 2 === 0],
] as const)("%s takes little room", ([, isSet]) => {
  expect(checkedStream(draw(1000, 400, isSet), 1000, 400).length).toBeLessThan(1_500);
});

test("noise of single pixels takes hardly more room than its bits", () => {
  const width = 1203;
  const height = 200;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 1 }), (bytes, factor) => {
      let state = factor;
      const noise = draw(width, height, (x) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223 + (bytes[x & 31] ?? 0)) >>> 0;
        return state >>> 31 === 1;
      });
      const bits = height * (1 + Math.ceil(width / 8));
      expect(checkedStream(noise, width, height).length).toBeLessThan(bits * 1.01 + 300);
    }),
    { numRuns: 5 },
  );
});
