import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodePicture } from "../../src/pictures/decode.ts";
import { chunk, withChunks, words } from "../support/pictures/broken-pictures.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "colours-"));
});
afterAll(() => rm(folder, { recursive: true }));

type Colour = readonly [red: number, green: number, blue: number];

/** The first two pixels of a picture file. */
async function decoded(bytes: Buffer): Promise<[Colour, Colour]> {
  const path = join(folder, "input");
  await writeFile(path, bytes);
  const { rgb } = await decodePicture(path, "hash", 1_000_000);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = rgb.subarray(0, 6);
  return [
    [a, b, c],
    [d, e, f],
  ];
}

/** A picture of 16-bit samples, left and right half: shares of the greatest sample. */
const halves = (left: Colour, right: Colour) => {
  const samples = Uint16Array.from([...left, ...right], (share) => Math.round(65_535 * share));
  return sharp(samples, { raw: { width: 2, height: 1, channels: 3 } });
};

const png = async (left: Colour, right: Colour, ...chunks: Buffer[]): Promise<Buffer> =>
  withChunks(await halves(left, right).toColourspace("rgb16").png().toBuffer(), "IDAT", ...chunks);

const grey = (share: number): Colour => [share, share, share];
const WHITE: Colour = [255, 255, 255];
const gAMA = (gamma: number) => chunk("gAMA", words(Math.round(100_000 * gamma)));
const cICP = (...code: number[]) => chunk("cICP", code);
const P3 = chunk("cHRM", words(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000));
const SRGB = chunk("cHRM", words(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000));

/** Paper of 203 cd/m², as PQ and as HLG have it. */
const [PQ_WHITE, HLG_WHITE] = [0.580_69, 0.75];

describe("a PNG's samples are read by its color chunks", () => {
  test.for<[string, Colour, Buffer[], Colour]>([
    ["nothing", grey(0.5), [], [128, 128, 128]],
    ["gAMA of linear light", grey(0.5), [gAMA(1)], [188, 188, 188]],
    ["gAMA of old Macs", grey(0.5), [gAMA(1 / 1.8)], [145, 145, 145]],
    ["gAMA of sRGB", grey(0.5), [gAMA(0.45455)], [128, 128, 128]],
    ["gAMA of nothing", grey(0.5), [gAMA(0)], [128, 128, 128]],
    ["sRGB before gAMA", grey(0.5), [chunk("sRGB", [0]), gAMA(1)], [128, 128, 128]],
    ["cHRM of P3", [0.5, 0.5, 0.25], [gAMA(0.45455), P3], [128, 128, 52]],
    ["cHRM alone", [0.5, 0.5, 0.25], [P3], [128, 128, 52]],
    ["cHRM of sRGB", [0.5, 0.5, 0.25], [gAMA(0.45455), SRGB], [128, 128, 64]],
    ["cICP of P3", [0.5, 0.5, 0.25], [cICP(12, 13, 0, 1)], [128, 128, 52]],
    [
      "cICP of linear light before sRGB and gAMA",
      grey(0.5),
      [cICP(1, 8, 0, 1), chunk("sRGB", [0]), gAMA(0.3)],
      [188, 188, 188],
    ],
    ["cICP of sRGB before gAMA", grey(0.5), [cICP(1, 13, 0, 1), gAMA(1)], [128, 128, 128]],
    ["cICP of nothing", grey(0.5), [cICP(2, 2, 0, 1), gAMA(1)], [188, 188, 188]],
    ["cICP of a narrow range", grey(126 / 255), [cICP(1, 13, 0, 0)], [128, 128, 128]],
    ["a damaged cICP", grey(0.5), [chunk("cICP", [1]), gAMA(1)], [188, 188, 188]],
  ])("%s", async ([, sample, chunks, colour]) => {
    const [left] = await decoded(await png(sample, grey(0), ...chunks));
    for (const [i, value] of colour.entries())
      expect(Math.abs((left[i] ?? 0) - value)).toBeLessThanOrEqual(1);
  });

  test("and its profile counts before sRGB, but after cICP", async () => {
    const own = await halves([0.5, 0.5, 0.25], grey(0)).withIccProfile("p3").png().toBuffer();
    const [plain] = await decoded(own);
    expect((await decoded(withChunks(own, "IDAT", chunk("sRGB", [0]), gAMA(1))))[0]).toEqual(plain);
    const stored = await sharp(own, { ignoreIcc: true }).raw().toBuffer();
    expect((await decoded(withChunks(own, "IDAT", cICP(1, 13, 0, 1))))[0]).toEqual([
      ...stored.subarray(0, 3),
    ]);
    expect(plain).not.toEqual([...stored.subarray(0, 3)]);
  });

  test.for([8, 16])("with %d bits a sample", async (bits) => {
    const picture = halves(grey(0.5), grey(1));
    const bytes = await (bits === 8 ? picture.toColourspace("srgb") : picture.toColourspace("rgb16"))
      .png()
      .toBuffer();
    expect(await decoded(withChunks(bytes, "IDAT", gAMA(1)))).toEqual([[188, 188, 188], WHITE]);
  });

  test("in a picture of grays", async () => {
    const bytes = await halves(grey(0.5), grey(1)).toColourspace("grey16").png().toBuffer();
    expect(await decoded(withChunks(bytes, "IDAT", gAMA(1)))).toEqual([[188, 188, 188], WHITE]);
  });
});

describe("high dynamic range", () => {
  test.for<[string, number, Buffer]>([
    ["PQ", PQ_WHITE, cICP(9, 16, 0, 1)],
    ["PQ without primaries", PQ_WHITE, cICP(2, 16, 0, 1)],
    ["HLG", HLG_WHITE, cICP(9, 18, 0, 1)],
  ])("shows paper as white: %s", async ([, white, code]) => {
    expect(await decoded(await png(grey(white), grey(0), code))).toEqual([WHITE, [0, 0, 0]]);
  });

  test.for<[string, number, number, Buffer]>([
    ["PQ", PQ_WHITE, 0.751_83, cICP(9, 16, 0, 1)],
    ["HLG", HLG_WHITE, 1, cICP(9, 18, 0, 1)],
  ])("leaves room for what is brighter, as in videos: %s", async ([, white, brightest, code]) => {
    const [paper, light] = await decoded(await png(grey(white), grey(brightest), code));
    expect(light).toEqual(WHITE);
    // The curve of videos makes 0.679 of 1.
    for (const value of paper) expect(Math.abs(value - 215)).toBeLessThanOrEqual(1);
  });
});

describe("an AVIF's samples are read by its code points", () => {
  const avif = async (
    left: Colour,
    [primaries, transfer]: [number, number],
    bitdepth: 8 | 10 = 8,
  ): Promise<Buffer> => {
    const wide = await halves(left, grey(0))
      .toColourspace("rgb16")
      .resize(64, 64, { kernel: "nearest" })
      .png()
      .toBuffer();
    const bytes = await sharp(wide)
      .toColourspace(bitdepth === 8 ? "srgb" : "rgb16")
      .avif({ lossless: true, effort: 0, bitdepth })
      .toBuffer();
    const at = bytes.indexOf("nclx");
    bytes.writeUInt16BE(primaries, at + 4);
    bytes.writeUInt16BE(transfer, at + 6);
    return bytes;
  };

  test.for<[string, Colour, [number, number], Colour, 8 | 10]>([
    ["sRGB", grey(0.5), [1, 13], [128, 128, 128], 8],
    ["BT.709's curve", grey(0.5), [1, 1], [128, 128, 128], 8],
    ["P3", [0.5, 0.5, 0.25], [12, 13], [128, 128, 52], 8],
    ["linear light", grey(0.5), [1, 8], [188, 188, 188], 8],
    ["PQ", grey(PQ_WHITE), [9, 16], [255, 255, 255], 10],
    ["HLG", grey(HLG_WHITE), [9, 18], [255, 255, 255], 10],
    ["sRGB of 10 bits", grey(0.5), [1, 13], [128, 128, 128], 10],
  ])("%s", async ([, sample, code, colour, bitdepth]) => {
    const [left] = await decoded(await avif(sample, code, bitdepth));
    for (const [i, value] of colour.entries())
      expect(Math.abs((left[i] ?? 0) - value)).toBeLessThanOrEqual(3);
  });
});
