import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Clip } from "../../src/video/clip.ts";
import { type Frame, readFrames } from "../../src/video/frames.ts";
import { readHeader } from "../../src/video/container/header.ts";
import { probeClip } from "../../src/video/probe.ts";
import { clipFolder, type ClipFolder, colourAt, corners, ffmpeg, numbered } from "../support/video/clips.ts";

const { signal } = new AbortController();
const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" ");
const FRAMES = 5;

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
  await clips.make(...numbered({ frames: FRAMES }), ...h264, "plain.mp4");
  await clips.make(...numbered({ frames: FRAMES, size: "160x120" }), ...h264, "small.mp4");
  await clips.make("-f", "lavfi", "-i", "color=c=red:s=64x64:d=0.04", "-frames:v", "1", "still.jpg");
});
afterAll(() => clips.remove());

const probe = (path: string): Promise<Clip> =>
  probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 60 }, signal);

async function read(clip: Clip): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(ffmpeg, clip, [...clip.times.keys()], clip, signal))
    frames.push(frame);
  return frames;
}

/** A file of two inputs' videos. */
const both = (one: string, other: string, ...options: readonly string[]): Promise<string> =>
  clips.make("-i", one, "-i", other, "-map", "0", "-map", "1", "-c", "copy", ...options);

describe("of several video tracks, the one that players show is read", () => {
  test.for([
    [
      "the enabled one",
      () =>
        both("small.mp4", "plain.mp4", "-disposition:v:0", "0", "-disposition:v:1", "default", "enabled.mov"),
      320,
      0,
    ],
    [
      "the first of two enabled ones",
      () =>
        both(
          "small.mp4",
          "plain.mp4",
          "-disposition:v:1",
          "default",
          "-disposition:v:0",
          "default",
          "two.mp4",
        ),
      160,
      1,
    ],
    ["the first in MKV", () => both("small.mp4", "plain.mp4", "two.mkv"), 160, 1],
    [
      "not a still before it",
      () => both("still.jpg", "plain.mp4", "-disposition:v", "default", "still.mov"),
      320,
      1,
    ],
    ["not a still before it, in MKV", () => both("still.jpg", "plain.mp4", "still.mkv"), 320, 1],
  ] as const)("%s", async ([, make, width, notices]) => {
    const clip = await probe(await make());
    expect([clip.width, clip.times.length, clip.notices.length]).toEqual([width, FRAMES, notices]);
    expect(await read(clip)).toHaveLength(FRAMES);
  });

  test("and dozens of subtitles don't get a film refused", async () => {
    await writeFile(clips.path("s.srt"), "1\n00:00:00,000 --> 00:00:00,100\nHi\n");
    const subtitles = Array.from({ length: 22 }, () => ["-i", "s.srt"]).flat();
    const maps = Array.from({ length: 23 }, (_, at) => ["-map", `${at}`]).flat();
    for (const [name, codec] of [
      ["film.mkv", "srt"],
      ["film.mp4", "mov_text"],
    ] as const) {
      const path = await clips.make(
        "-i",
        "plain.mp4",
        ...subtitles,
        ...maps,
        "-c:v",
        "copy",
        "-c:s",
        codec,
        name,
      );
      expect((await probe(path)).times).toHaveLength(FRAMES);
    }
  });
});

test("a codec's own orientation messages turn no frame", async () => {
  const message = "h264_metadata=display_orientation=insert:rotate=90";
  const clip = await probe(
    await clips.make("-i", "plain.mp4", "-c", "copy", "-bsf:v", message, "message.mp4"),
  );
  expect([clip.width, clip.height]).toEqual([320, 240]);
  for (const frame of await read(clip)) expect(corners(frame, clip)).toBe("red green blue white");
});

test.for([
  ["left and right", 0, "green red white blue"],
  ["up and down", 16, "blue white red green"],
] as const)("a file's own matrix mirrors its frames: %s", async ([, element, expected]) => {
  const bytes = await readFile(clips.path("plain.mp4"));
  // ISO/IEC 14496-12, 8.3.2: a track's matrix is behind 40 bytes of its header.
  bytes.writeInt32BE(-0x10000, bytes.indexOf("tkhd", 0, "latin1") + 4 + 40 + element);
  await writeFile(clips.path("mirrored.mp4"), bytes);
  const clip = await probe(clips.path("mirrored.mp4"));
  for (const frame of await read(clip)) expect(corners(frame, clip)).toBe(expected);
});

test.for([
  ["ProRes", "alpha.mov", ["-c:v", "prores_ks", "-pix_fmt", "yuva444p10le"]],
  [
    "VP9",
    "alpha.webm",
    ["-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-deadline", "realtime", "-cpu-used", "8"],
  ],
] as const)("a transparent area appears on white: %s", async ([, name, codec]) => {
  const half = "format=yuva444p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='if(lt(X,32),0,255)'";
  const clip = await probe(
    await clips.make("-f", "lavfi", "-i", `color=c=blue:s=64x48:d=0.12,${half}`, ...codec, name),
  );
  for (const frame of await read(clip)) {
    expect(colourAt(frame, clip, 0.25, 0.5)).toEqual([255, 255, 255]);
    for (const [at, value] of [0, 0, 255].entries())
      expect(Math.abs((colourAt(frame, clip, 0.75, 0.5)[at] ?? -99) - value)).toBeLessThan(6);
  }
});

describe("an encrypted video is refused as that", () => {
  const KEYS =
    "-encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8";

  test.for([
    ["MP4", []],
    ["fragments", ["-movflags", "frag_keyframe+empty_moov"]],
  ] as const)("%s", async ([name, options]) => {
    const path = await clips.make(
      "-i",
      "plain.mp4",
      "-c",
      "copy",
      ...KEYS.split(" "),
      ...options,
      `${name}.mp4`,
    );
    await expect(probe(path)).rejects.toMatchObject({ code: "video_encrypted", retryable: false });
  });

  test("Matroska, even if it is compressed first", async () => {
    const element = (id: string, ...content: readonly Buffer[]): Buffer => {
      const body = Buffer.concat(content);
      return Buffer.concat([Buffer.from(id, "hex"), Buffer.from([0x80 | body.length]), body]);
    };
    const encodings = element("6d80", element("6240", element("5034")), element("6240", element("5035")));
    const tracks = element("1654ae6b", element("ae", element("83", Buffer.from([1])), encodings));
    await writeFile(
      clips.path("secret.mkv"),
      Buffer.concat([element("1a45dfa3"), element("18538067", tracks)]),
    );
    const reading = readHeader(clips.path("secret.mkv"), "matroska", signal);
    await expect(reading).rejects.toMatchObject({ code: "video_encrypted" });
  });
});

test("a Matroska file that can't be followed to its end, or announces more, says so", async () => {
  const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p -g 5".split(" ");
  const path = await clips.make(...numbered({ size: "64x48", frames: 40 }), ...vp9, "whole.webm");
  expect((await probe(path)).notices).toEqual([]);
  const bytes = await readFile(path);
  // The first bytes of the blocks from the middle on.
  const from = bytes.indexOf(Buffer.from([0xa3]), bytes.length >> 1);
  await writeFile(clips.path("broken.webm"), bytes.fill(0, from, from + 400));
  expect((await probe(clips.path("broken.webm"))).notices).toMatchObject([
    { code: "video_ends_early", message: expect.stringContaining("announces 1.60 seconds") },
  ]);
});

test("a file without frames, and one wrong time, are named", async () => {
  const parts = await readFile(
    await clips.make("-i", "plain.mp4", "-c", "copy", "-movflags", "frag_keyframe+empty_moov", "parts.mp4"),
  );
  await writeFile(clips.path("begun.mp4"), parts.subarray(0, parts.indexOf("moof", 0, "latin1") - 4));
  await expect(probe(clips.path("begun.mp4"))).rejects.toThrow("it has no frames");
  const late = "setts=ts='if(eq(N,3),1e5/TB,TS)'";
  const path = await clips.make("-i", "plain.mp4", "-c", "copy", "-bsf:v", late, "jump.mkv");
  await expect(probe(path)).rejects.toMatchObject({
    code: "video_unreadable",
    message: expect.stringContaining("jump"),
  });
});
