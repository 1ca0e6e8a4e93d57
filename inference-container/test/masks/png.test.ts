import { crc32, inflateSync } from "node:zlib";
import * as fc from "fast-check";
import sharp from "sharp";
import { expect, test } from "vitest";
import { encodeMaskPng, maskPixels } from "../../src/masks/write-mask-png.ts";
import { findRuns } from "@segmentation/masks";
import { kindsOfGrids, thresholds } from "../support/masks/grids.ts";
import { runsOf, scanlinesOf } from "../support/masks/mask-pixels.ts";
import { plainMask } from "../support/masks/plain-mask.ts";

/** A bright diagonal band; 37 pixels per row leave three bits unused. */
const grid = {
  width: 3,
  height: 3,
  logits: Float32Array.from([5, -5, -5, -5, 5, -5, -5, -5, 5]),
};
const mask = findRuns(grid, 37, 21, 0.5);

const CAT = { keyword: "prompt", text: "cat" } as const;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly crcHolds: boolean;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const crcHolds = crc32(png.subarray(at + 4, at + 8 + length)) === png.readUInt32BE(at + 8 + length);
    const type = png.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length), crcHolds });
    at += 12 + length;
  }
  return chunks;
}

/** Checks the pixels as sharp reads them, and that zlib reads the same scanlines and accepts their checksum. */
async function assertShows(png: Buffer, pixels: readonly boolean[], width: number, height: number) {
  const data = chunksOf(png).find(({ type }) => type === "IDAT")?.data ?? Buffer.alloc(0);
  expect(inflateSync(data).equals(scanlinesOf(pixels, width, height))).toBe(true);
  const shown = await sharp(png, { limitInputPixels: false })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([shown.info.width, shown.info.height]).toEqual([width, height]);
  expect(shown.data.equals(Uint8Array.from(pixels, (set) => (set ? 255 : 0)))).toBe(true);
}

test.for(kindsOfGrids)(
  "a PNG from %s shows the pixel-by-pixel computation as 0 and 255 [2.5-17]",
  async ([, grids]) => {
    const side = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1, 2, 8, 300));
    await fc.assert(
      fc.asyncProperty(grids, side, side, thresholds, async (logits, width, height, threshold) => {
        const runs = findRuns(logits, width, height, threshold);
        const png = encodeMaskPng(runs, CAT, await maskPixels(runs));
        await assertShows(png, plainMask(logits, width, height, threshold), width, height);
      }),
    );
  },
);

test("a PNG of any runs shows them, at any bytes' boundaries", async () => {
  const rows = fc.integer({ min: 1, max: 40 }).chain((width) =>
    fc.array(fc.array(fc.boolean(), { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 6,
    }),
  );
  await fc.assert(
    fc.asyncProperty(rows, async (drawn) => {
      const [width, height] = [drawn[0]?.length ?? 0, drawn.length];
      const pixels = drawn.flat();
      await assertShows(encodeMaskPng(runsOf(pixels, width, height), CAT), pixels, width, height);
    }),
  );
});

test("a mask PNG is one-bit grayscale, and every chunk's checksum holds [2.5-17]", async () => {
  const png = encodeMaskPng(mask, CAT);
  const { channels, space, format, bitsPerSample } = await sharp(png).metadata();
  expect({ channels, space, format }).toEqual({ channels: 1, space: "b-w", format: "png" });
  expect(bitsPerSample).toBe(1);
  const chunks = chunksOf(png);
  expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "iTXt", "IDAT", "IEND"]);
  expect(chunks.every(({ crcHolds }) => crcHolds)).toBe(true);
});

test.for(["cat", "Straßenbahn 路面電車 🚋", "a\0b"])(
  "the prompt %j is in an iTXt chunk [2.5-20]",
  (prompt) => {
    const [, text] = chunksOf(encodeMaskPng(mask, { keyword: "prompt", text: prompt }));
    expect(text?.data.toString("utf8")).toBe(`prompt\0\0\0\0\0${prompt.replace("\0", "")}`);
  },
);

test("a reader finds the prompt [2.5-20]", async () => {
  const { comments } = await sharp(
    encodeMaskPng(mask, { keyword: "prompt", text: "Kaffeetasse" }),
  ).metadata();
  expect(comments).toContainEqual({ keyword: "prompt", text: "Kaffeetasse" });
});

test("a reader finds the region's index, and no prompt [A5-4]", async () => {
  const { comments } = await sharp(encodeMaskPng(mask, { keyword: "region", text: "7" })).metadata();
  expect(comments).toEqual([{ keyword: "region", text: "7" }]);
});

test("a reader finds the label that a region has [A5-13]", async () => {
  const text = { keyword: "region", text: "7", label: "Löffel" } as const;
  expect((await sharp(encodeMaskPng(mask, text)).metadata()).comments).toEqual([
    { keyword: "region", text: "7" },
    { keyword: "label", text: "Löffel" },
  ]);
});
