import { readFile, symlink } from "node:fs/promises";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PreviewEncoder } from "../../src/video/preview-encoder.ts";
import { readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import {
  clipFolder,
  colourAt,
  ffmpeg,
  runFfmpeg,
  shownTimes,
  type ClipFolder,
} from "../support/video/clips.ts";

const SIZE = { width: 64, height: 48 };
const never = new AbortController().signal;
let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});
afterAll(() => clips.remove());

/** A frame of one color. */
const plain = (...colour: readonly number[]): Uint8Array =>
  Uint8Array.from({ length: 3 * SIZE.width * SIZE.height }, (_, at) => colour[at % 3] ?? 0);

async function encode(times: readonly number[], name = "preview.mp4", loneSeconds = 0.25): Promise<string> {
  await using encoder = PreviewEncoder.open(ffmpeg, clips.path(name), SIZE, loneSeconds, never);
  for (const [at, time] of times.entries()) await encoder.write(plain(40 * (at % 6), 90, 30), time);
  await encoder.finish();
  return clips.path(name);
}

/** Presentation time and duration of each frame in seconds, as in the file. */
async function stamps(path: string): Promise<{ time: number; duration: number }[]> {
  const listing = await runFfmpeg(["-copyts", "-i", path, "-c", "copy", "-f", "framecrc", "-"]);
  const lines = listing.split("\n").filter((line) => line.startsWith("0,"));
  return lines.map((line) => {
    const [, , pts = 0, duration = 0] = line.split(",").map(Number);
    return { time: pts / 90_000, duration: duration / 90_000 };
  });
}

test("each frame is shown at its own time, the last as long as the one before it", async () => {
  const times = [0, 0.1, 0.25, 0.3, 0.9, 0.96];
  const found = await stamps(await encode(times));
  expect(found).toHaveLength(times.length);
  for (const [at, { time, duration }] of found.entries()) {
    expect(time).toBeCloseTo(times[at] ?? -1, 4);
    expect(duration).toBeCloseTo((times[at + 1] ?? 1.02) - (times[at] ?? 0), 4);
  }
});

test("any ascending times come back to the millisecond", async () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(gaps, async (milliseconds) => {
      let time = -(milliseconds[0] ?? 0);
      const times = milliseconds.map((gap) => (time += gap) / 1000);
      const found = await stamps(await encode(times));
      expect(found.map((stamp) => Math.round(stamp.time * 1000))).toEqual(
        times.map((at) => Math.round(at * 1000)),
      );
    }),
    { numRuns: 8 },
  );
});

test("a video that begins late keeps its times", async () => {
  const found = await stamps(await encode([0.5, 0.6, 1.6]));
  for (const [at, expected] of [0.5, 0.6, 1.6].entries()) expect(found[at]?.time).toBeCloseTo(expected, 4);
});

test("a single frame is shown for its stated duration", async () => {
  expect(await stamps(await encode([0], "lone.mp4", 0.2))).toEqual([{ time: 0, duration: 0.2 }]);
});

test.for([
  ["a lone frame", [0], 1e6],
  ["a frame after a gap of an hour", [0, 3600], 0.2],
] as const)("the last frame is shown for ten seconds at most: %s", async ([, times, loneSeconds]) => {
  const found = await stamps(await encode(times, "held.mp4", loneSeconds));
  expect(found.map(({ time }) => time)).toEqual(times);
  expect(found.at(-1)?.duration).toBe(10);
});

test("a full disk is reported as such", async () => {
  await symlink("/dev/full", clips.path("full.mp4"));
  await expect(encode([0, 0.1, 0.2], "full.mp4")).rejects.toMatchObject({
    code: "disk_full",
    retryable: true,
    cause: expect.stringContaining("No space left on device"),
  });
});

test("colors come back, in an H.264 that browsers play, its index in front", async () => {
  const colours = [
    [200, 40, 60],
    [30, 180, 40],
    [20, 50, 220],
    [255, 255, 255],
    [0, 0, 0],
  ];
  const path = clips.path("colours.mp4");
  {
    await using encoder = PreviewEncoder.open(ffmpeg, path, SIZE, 1, never);
    for (const [at, colour] of colours.entries()) await encoder.write(plain(...colour), at / 5);
    await encoder.finish();
  }
  const clip = await probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 10 }, never);
  expect(clip.width).toBe(SIZE.width);
  const seen: number[][] = [];
  for await (const frame of readFrames(ffmpeg, clip, [0, 1, 2, 3, 4], SIZE, never)) {
    seen.push(colourAt(frame, SIZE, 0.5, 0.5));
  }
  for (const [at, colour] of colours.entries()) {
    for (const [channel, value] of colour.entries()) {
      expect(Math.abs((seen[at]?.[channel] ?? -99) - value)).toBeLessThanOrEqual(4);
    }
  }
  const bytes = await readFile(path);
  expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
  // ISO/IEC 14496-15, AVCDecoderConfigurationRecord: version, profile (100: High), compatibility, level.
  const configuration = bytes.subarray(bytes.indexOf("avcC") + 4);
  expect([...configuration.subarray(0, 4)]).toEqual([1, 100, 0, 42]);
  // ISO/IEC 14496-12, ColourInformationBox: nclx, then BT.709 (1) as primaries, transfer and matrix, limited range.
  const colour = bytes.subarray(bytes.indexOf("colrnclx") + 8);
  expect([...colour.subarray(0, 7)]).toEqual([0, 1, 0, 1, 0, 1, 0]);
});

test("a frame of another size is the caller's error", async () => {
  await using encoder = PreviewEncoder.open(ffmpeg, clips.path("size.mp4"), SIZE, 1, never);
  await expect(encoder.write(new Uint8Array(12), 0)).rejects.toThrow("12 bytes");
});

test("a file that can't be written ends in a failure that may be tried again, FFmpeg's log as its cause", async () => {
  await using encoder = PreviewEncoder.open(ffmpeg, clips.path("nowhere/preview.mp4"), SIZE, 1, never);
  const writing = async (): Promise<void> => {
    for (let at = 0; at < 100; at++) await encoder.write(plain(1, 2, 3), at);
    await encoder.finish();
  };
  await expect(writing()).rejects.toMatchObject({
    code: "preview_failed",
    retryable: true,
    cause: expect.stringContaining("No such file or directory"),
  });
});

test("frames of the largest size are encoded", async () => {
  const size = { width: 2048, height: 2048 };
  const path = clips.path("large.mp4");
  {
    await using encoder = PreviewEncoder.open(ffmpeg, path, size, 1, never);
    const rgb = new Uint8Array(3 * size.width * size.height).fill(128);
    for (let at = 0; at < 3; at++) await encoder.write(rgb, at / 6);
    await encoder.finish();
  }
  expect(await shownTimes(path)).toHaveLength(3);
});
