/** The numbers and times of frames, compared with FFmpeg's plain decoding of the whole file. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskFailure } from "../../src/failures.ts";
import type { Clip } from "../../src/video/clip.ts";
import { type Frame, readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import { planSamples } from "../../src/video/choose-frames.ts";
import {
  clipFolder,
  type ClipFolder,
  ffmpeg,
  numberOf,
  positionOfPacket,
  shownTimes,
} from "../support/video/clips.ts";
import { CLIP_KINDS, FRAGMENTS, FRAMES, h264, makePlain, source } from "../support/video/clip-kinds.ts";
import { isLong } from "../support/form.ts";

const { signal } = new AbortController();
const SIZE = { width: 64, height: 48 };
let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
  await makePlain(clips);
});
afterAll(() => clips.remove());

const probe = (path: string): Promise<Clip> =>
  probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 7_200 }, signal);

async function read(clip: Clip, indexes: readonly number[] = [...clip.times.keys()]): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(ffmpeg, clip, indexes, SIZE, signal)) frames.push(frame);
  return frames;
}

/** The frames that the command of docs/formats.md writes, in the size of the others. */
async function plainlyDecoded(path: string, track: string): Promise<{ rgb: Buffer }[]> {
  const args = ["-v", "quiet", "-i", path, "-map", `0:${track}`, "-fps_mode", "passthrough"];
  const to = ["-vf", `scale=${SIZE.width}:${SIZE.height}`, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"];
  const { stdout } = await promisify(execFile)(ffmpeg, [...args, ...to], {
    encoding: "buffer",
    maxBuffer: 1 << 28,
  });
  const length = 3 * SIZE.width * SIZE.height;
  return Array.from({ length: stdout.length / length }, (_, at) => ({
    rgb: stdout.subarray(at * length, (at + 1) * length),
  }));
}

/** Checks that all frames of a video are given as FFmpeg decodes them, and some of them as among all. Returns them. */
async function expectAsDecoded(path: string, { from = 0, isTimed = true } = {}): Promise<Frame[]> {
  const clip = await probe(path);
  const { track } = clip.decoding.input;
  const [frames, decoded, times] = await Promise.all([
    read(clip),
    plainlyDecoded(path, track),
    shownTimes(path, track),
  ]);
  expect(frames.map(({ frameIdx }) => frameIdx)).toEqual([...decoded.keys()]);
  expect(frames.every(({ rgb }, at) => Buffer.compare(rgb, decoded[at]?.rgb ?? Buffer.alloc(0)) === 0)).toBe(
    true,
  );
  // Frames that a decoder makes without a key frame may come with times that go back.
  for (const [at, time] of times.entries()) times[at] = Math.max(time, times[at - 1] ?? time);
  const shift = isTimed ? 0 : from - (times[0] ?? 0);
  for (const [at, { timeSec }] of frames.entries()) expect(timeSec).toBeCloseTo((times[at] ?? -1) + shift, 4);
  expect(frames[0]?.timeSec).toBeCloseTo(from, 3);
  const { indexes } = planSamples(clip.times, { fps: null, numFrames: 7, maxFrames: null }, 100);
  const some = await read(clip, indexes);
  expect(some.map(({ frameIdx }) => frameIdx)).toEqual(indexes);
  expect(some.map(({ timeSec }) => timeSec)).toEqual(indexes.map((index) => frames[index]?.timeSec));
  return frames;
}

const empty = "select='not(between(n,5,9))*not(between(n,15,16))'";

describe("a frame has the number that a decoder gives it, and the time at which players show it", () => {
  test.for(CLIP_KINDS)("%s", async ([, make, count, from]) => {
    expect(await expectAsDecoded(await make(clips), { ...(from !== undefined && { from }) })).toHaveLength(
      count,
    );
  });

  test.for([
    ["H.264", h264],
    ["MPEG-4", ["-c:v", "mpeg4", "-bf", "2", "-q:v", "2"]],
  ] as const)("an AVI with empty chunks: %s", async ([name, codec]) => {
    const path = await clips.make(
      ...source,
      "-vf",
      empty,
      "-fps_mode",
      "passthrough",
      ...codec,
      `empty-${name}.avi`,
    );
    const frames = await expectAsDecoded(path, { isTimed: false });
    expect(frames.map((frame) => numberOf(frame, SIZE))).toEqual(
      frames.map(({ timeSec }) => Math.round(timeSec * 25)),
    );
  });
});

test("frames lost to damage are counted, and the others found by their times", async () => {
  const bytes = await readFile(clips.path("plain.mp4"));
  for (const packet of [5, 12]) {
    const { position, size } = await positionOfPacket(clips, clips.path("plain.mp4"), packet);
    for (let at = position + 4; at < position + size; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xa5;
  }
  await writeFile(clips.path("damaged.mp4"), bytes);
  const clip = await probe(clips.path("damaged.mp4"));
  const frames = await read(clip);
  const times = await shownTimes(clips.path("damaged.mp4"));
  expect(times).toHaveLength(FRAMES - 2);
  expect(clip.decoding.frames.lost).toBe(2);
  expect(frames.map(({ frameIdx }) => frameIdx)).toEqual([...times.keys()]);
  for (const [at, { timeSec }] of frames.entries()) expect(timeSec).toBeCloseTo(times[at] ?? -1, 4);
});

const made = fc.record({
  codec: fc.constantFrom(
    ["libx264", "-preset", "ultrafast"],
    ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:open-gop=1"],
    ["mpeg4"],
    ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
  ),
  group: fc.integer({ min: 1, max: 12 }),
  between: fc.integer({ min: 0, max: 3 }),
  rate: fc.constantFrom(15, 29.97, 60, 240, 1000),
  start: fc.constantFrom(0, 0, 0.7, 1000),
  cut: fc.constantFrom(0, 0, 0.3),
  file: fc.constantFrom("mp4", "mkv", "fragments.mp4"),
  first: fc.constantFrom(0, 0, 2),
});

test("the frames of any video have the numbers and times of its decoded frames", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(made, async ({ codec, group, between, rate, start, cut, file, first }) => {
      const name = `${run++}.${file}`;
      const pixels = ["-vf", `settb=AVTB,setpts=N/${rate}/TB`, "-r", `${rate}`, "-pix_fmt", "yuv420p"];
      const groups = ["-g", `${group}`, ...(codec[0] === "libvpx-vp9" ? [] : ["-bf", `${between}`])];
      const whole = `whole-${run}.mp4`;
      await clips.make(...source, ...pixels, "-c:v", ...codec, ...groups, whole);
      const begin = cut > 0 ? ["-ss", `${(cut * FRAMES) / rate}`] : [];
      const options = [
        "-c",
        "copy",
        "-copyinkf",
        "-bsf:v",
        `noise=drop='lt(n,${first})'`,
        "-output_ts_offset",
        `${start}`,
      ];
      const fragments = file === "fragments.mp4" ? ["-movflags", FRAGMENTS] : [];
      const path = await clips.make(...begin, "-i", whole, ...options, ...fragments, name);
      const decoded = await shownTimes(path).catch(() => []);
      if (decoded.length === 0) await expect(probe(path)).rejects.toThrow(TaskFailure);
      else await expectAsDecoded(path, { from: Math.max(decoded[0] ?? 0, 0) });
    }),
    { numRuns: isLong ? 100 : 4 },
  );
});
