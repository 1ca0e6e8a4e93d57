import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Picture } from "../../src/models/model.ts";
import { decodePicture } from "../../src/pictures/decode.ts";
import { TaskFailure } from "../../src/failures.ts";
import {
  animated,
  cutOut,
  mp4,
  noisySamples,
  samples,
  turned,
  unreadable,
} from "../support/pictures/pictures.ts";

const LIMIT = 1_000_000;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pictures-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function decode(bytes: Buffer, pixelLimit = LIMIT): Promise<Picture> {
  const path = join(folder, "input");
  await writeFile(path, bytes);
  return decodePicture(path, "hash", pixelLimit);
}

async function failureOf(bytes: Buffer): Promise<TaskFailure> {
  const failure: unknown = await decode(bytes).catch((error: unknown) => error);
  if (failure instanceof TaskFailure) return failure;
  throw new Error("the picture was accepted");
}

/** Red, green and blue at a place given as shares of the sides. */
function colourAt({ width, height, rgb }: Picture, x: number, y: number): number[] {
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
  return [...rgb.subarray(at, at + 3)];
}

const brightness = (picture: Picture, x: number, y: number): number => colourAt(picture, x, y)[1] ?? -1;

describe("a readable picture becomes three sRGB bytes a pixel", async () => {
  test.for(Object.entries(await samples()))("%s", async ([, bytes]) => {
    const picture = await decode(bytes);
    expect([picture.width, picture.height]).toEqual([80, 60]);
    expect(picture.rgb.length).toBe(80 * 60 * 3);
    expect(brightness(picture, 0.2, 0.5)).toBeLessThan(80);
    expect(brightness(picture, 0.8, 0.5)).toBeGreaterThan(200);
  });
});

test("EXIF orientation is applied [2.5-18]", async () => {
  const picture = await decode(await turned());
  expect([picture.width, picture.height]).toEqual([60, 80]);
  expect(brightness(picture, 0.5, 0.2)).toBeLessThan(80);
  expect(brightness(picture, 0.5, 0.8)).toBeGreaterThan(200);
});

test("an animation gives its first frame", async () => {
  const picture = await decode(await animated());
  expect([picture.width, picture.height]).toEqual([80, 60]);
  expect(brightness(picture, 0.8, 0.5)).toBeGreaterThan(200);
});

test("transparency is shown over white", async () => {
  expect(colourAt(await decode(await cutOut()), 0.2, 0.5)).toEqual([255, 255, 255]);
});

test("a picture of exactly the pixel limit is read", async () => {
  const { "bright.png": bytes = Buffer.alloc(0) } = await samples();
  expect((await decode(bytes, 80 * 60)).width).toBe(80);
});

test("more pixels than allowed are refused by the header [8-9]", async () => {
  const huge = await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: "#123" } })
    .png()
    .toBuffer();
  const failure = await failureOf(huge.subarray(0, 1_024));
  expect(failure.code).toBe("image_too_many_pixels");
  expect(failure.message).toContain("3000 × 2000");
});

describe("a picture that is cut short is refused, not shown half gray", async () => {
  const whole = await noisySamples();
  test.for(Object.keys(whole).flatMap((name) => [0.1, 0.5, 0.97].map((part) => [name, part] as const)))(
    "%s, %d of it",
    async ([name, part]) => {
      const bytes = whole[name] ?? Buffer.alloc(0);
      const failure = await failureOf(bytes.subarray(0, Math.floor(bytes.length * part)));
      expect(failure.code).toBe("image_truncated");
      expect(failure.retryable).toBe(false);
    },
  );
});

test("a damaged picture is refused", async () => {
  const { "bright.png": bytes = Buffer.alloc(0) } = await samples();
  const damaged = Buffer.from(bytes);
  damaged.fill(0x5a, 60, 90);
  expect((await failureOf(damaged)).code).toBe("image_corrupt");
});

describe("a format that isn't read is named", async () => {
  test.for(Object.entries(await unreadable()))("%s", async ([name, bytes]) => {
    const failure = await failureOf(bytes);
    expect(failure.code).toBe("image_format_unsupported");
    expect(failure.message).toContain(name);
    expect(failure.message).toContain("JPEG");
  });
});

test.for([
  ["an empty file", Buffer.alloc(0), "image_empty"],
  ["a video", mp4, "not_an_image"],
  ["text", Buffer.from("hello"), "not_an_image"],
  ["zeros", Buffer.alloc(2_048), "not_an_image"],
  ["a lone signature", Buffer.from([0xff, 0xd8, 0xff]), "image_truncated"],
] as const)("%s is refused by name", async ([, bytes, code]) => {
  expect((await failureOf(bytes)).code).toBe(code);
});
