import { crc32 } from "node:zlib";
import sharp from "sharp";
import { expect, test } from "vitest";
import { encodeMaskPng } from "../../src/masks/png.ts";
import { rasterise } from "../../src/masks/rasterise.ts";

/** Bright in a diagonal band; 37 pixels a row leave three bits unused. */
const grid = {
  width: 3,
  height: 3,
  logits: Float32Array.from([5, -5, -5, -5, 5, -5, -5, -5, 5]),
};
const mask = rasterise(grid, 37, 21, 0.5);

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

test("a mask PNG decodes to 0 and 255 at the mask's own pixels", async () => {
  const png = await encodeMaskPng(mask, "cat");
  const { data, info } = await sharp(png).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([37, 21]);
  expect(new Set(data)).toEqual(new Set([0, 255]));
  expect(data.filter((value) => value === 255).length).toBe(mask.area);
  for (let y = 0; y < 21; y++) {
    for (let x = 0; x < 37; x++) {
      const bit = ((mask.bits[y * mask.stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      expect(data[y * 37 + x]).toBe(bit * 255);
    }
  }
});

test("a mask PNG is one-bit greyscale, and every chunk's checksum holds", async () => {
  const png = await encodeMaskPng(mask, "cat");
  const { channels, space, format, bitsPerSample } = await sharp(png).metadata();
  expect({ channels, space, format }).toEqual({ channels: 1, space: "b-w", format: "png" });
  expect(bitsPerSample).toBe(1);
  const chunks = chunksOf(png);
  expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "iTXt", "IDAT", "IEND"]);
  expect(chunks.every(({ crcHolds }) => crcHolds)).toBe(true);
});

test.for(["cat", "Straßenbahn 路面電車 🚋", "a\0b"])("the prompt %j is in an iTXt chunk", async (prompt) => {
  const [, text] = chunksOf(await encodeMaskPng(mask, prompt));
  expect(text?.data.toString("utf8")).toBe(`prompt\0\0\0\0\0${prompt.replace("\0", "")}`);
});

test("a reader finds the prompt", async () => {
  const { comments } = await sharp(await encodeMaskPng(mask, "Kaffeetasse")).metadata();
  expect(comments).toContainEqual({ keyword: "prompt", text: "Kaffeetasse" });
});
