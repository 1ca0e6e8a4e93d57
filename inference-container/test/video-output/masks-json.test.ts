import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findRuns, rleOf } from "@segmentation/masks";
import { type MaskedFrame, type MaskedObject, MasksJsonWriter } from "../../src/video/masks-json.ts";
import { MasksJson } from "../support/masks/masks-json.ts";

const MEBIBYTE = 1_048_576;
const clip = { width: 64, height: 48, fps: 29.97 };
const grid = { width: 2, height: 1, logits: Float32Array.from([-1, 1]) };
const rle = rleOf(findRuns(grid, 64, 48, 0.5));
const object: MaskedObject = { objectId: 7, promptIndex: 1, score: 0.75, box: [32, 0, 64, 48], rle };
const frame = (sampleIdx: number, objects: readonly MaskedObject[]): MaskedFrame => ({
  sampleIdx,
  frameIdx: sampleIdx * 5,
  timeSec: sampleIdx / 6,
  objects,
});

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "masks-json-")));
  path = join(folder, "masks.json");
});
afterAll(() => rm(folder, { recursive: true }));

async function write(frames: Iterable<MaskedFrame>, limit = MEBIBYTE) {
  await using writer = await MasksJsonWriter.open(path, clip, limit);
  for (const each of frames) await writer.frame(each);
  return writer.finish();
}

/** The paths of this process's open files. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir("/proc/self/fd");
  const targets = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return Promise.all(targets);
}

test("every frame is listed in order, with or without objects [2.5-12]", async () => {
  const summary = await write([
    frame(0, [object, { ...object, objectId: 9 }]),
    frame(1, []),
    frame(2, [object]),
  ]);
  const listed = {
    promptIndex: 1,
    score: 0.75,
    box: [32, 0, 64, 48],
    rle: { size: [48, 64], counts: rle.counts },
  };
  const text = await readFile(path, "utf8");
  expect(JSON.parse(text)).toEqual({
    version: 1,
    ...clip,
    frames: [
      {
        sampleIdx: 0,
        frameIdx: 0,
        timeSec: 0,
        objects: [
          { objectId: 7, ...listed },
          { objectId: 9, ...listed },
        ],
      },
      { sampleIdx: 1, frameIdx: 5, timeSec: 0.166667, objects: [] },
      { sampleIdx: 2, frameIdx: 10, timeSec: 0.333333, objects: [{ objectId: 7, ...listed }] },
    ],
  });
  expect(MasksJson.safeParse(JSON.parse(text)).error).toBeUndefined();
  expect(summary).toMatchObject({ frames: 3, framesWithMasks: 2, totalMasks: 3 });
});

test("a video without frames is a valid file", async () => {
  expect(await write([])).toMatchObject({ frames: 0, framesWithMasks: 0, totalMasks: 0 });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ version: 1, ...clip, frames: [] });
});

test("any number keeps its significant digits", async () => {
  const number = fc.double({ min: 0, max: 1, noNaN: true });
  await fc.assert(
    fc.asyncProperty(number, number, number, async (timeSec, score, right) => {
      const box = [-0, 0.004, 64 * right, 48] as const;
      await write([{ ...frame(0, [{ ...object, score, box }]), timeSec }]);
      const [listed] = MasksJson.parse(JSON.parse(await readFile(path, "utf8"))).frames;
      expect(Math.abs((listed?.timeSec ?? -1) - timeSec)).toBeLessThanOrEqual(0.5000001e-6);
      expect(Math.abs((listed?.objects[0]?.score ?? -1) - score)).toBeLessThanOrEqual(0.5000001e-6);
      expect(Math.abs((listed?.objects[0]?.box[2] ?? -1) - 64 * right)).toBeLessThanOrEqual(0.005000001);
      expect(JSON.stringify(listed).length).toBeLessThan(200 + rle.counts.length);
    }),
    { numRuns: 50 },
  );
});

test("size and MD5 are those of the file, over many chunks", async () => {
  const long = { ...object, rle: { size: rle.size, counts: "0".repeat(50_000) } };
  const frames = Array.from({ length: 300 }, (_, i) => frame(i, i % 3 === 0 ? [] : [long]));
  const summary = await write(frames, 32 * MEBIBYTE);
  const bytes = await readFile(path);
  expect(summary).toEqual({
    size: bytes.length,
    md5: createHash("md5").update(bytes).digest("base64"),
    frames: 300,
    framesWithMasks: 200,
    totalMasks: 200,
  });
  expect(MasksJson.parse(JSON.parse(bytes.toString())).frames.map(({ sampleIdx }) => sampleIdx)).toEqual(
    frames.map(({ sampleIdx }) => sampleIdx),
  );
});

test("gathered masks reach the file while the video continues", async () => {
  await using writer = await MasksJsonWriter.open(path, clip, 32 * MEBIBYTE);
  const long = { ...object, rle: { size: rle.size, counts: "0".repeat(50_000) } };
  for (let i = 0; i < 100; i++) {
    await writer.frame(frame(i, [long]));
    expect((i + 1) * 50_000 - (await readFile(path)).length).toBeLessThan(MEBIBYTE);
  }
});

test("a file that fits its limit to the byte is written, and a byte less is refused as too many masks", async () => {
  const frames = [frame(0, [object]), frame(1, [object])];
  const { size } = await write(frames);
  expect(await write(frames, size)).toMatchObject({ size });
  await expect(write(frames, size - 1)).rejects.toMatchObject({
    code: "too_many_masks",
    retryable: false,
    message: expect.stringContaining(String(size - 1)),
  });
});

test.runIf(process.platform === "linux")(
  "a file that is given up, refused or finished is closed",
  async () => {
    const writer = await MasksJsonWriter.open(path, clip, MEBIBYTE);
    await writer.frame(frame(0, [object]));
    expect(await openFiles()).toContain(path);
    await writer[Symbol.asyncDispose]();
    await writer[Symbol.asyncDispose]();
    expect(await openFiles()).not.toContain(path);
    await expect(write([frame(0, [object])], 10)).rejects.toThrow("masks");
    await write([frame(0, [object])]);
    expect(await openFiles()).not.toContain(path);
  },
);

test("a missing folder is an error at once", async () => {
  await expect(MasksJsonWriter.open(join(folder, "none", "masks.json"), clip, MEBIBYTE)).rejects.toThrow(
    "ENOENT",
  );
});
