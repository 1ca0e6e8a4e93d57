import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import {
  clipFolder,
  ffmpeg,
  numbered,
  numberOf,
  positionOfPacket,
  shownTimes,
  type ClipFolder,
} from "../support/video/clips.ts";

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});
afterAll(() => clips.remove());

const signal = new AbortController().signal;

test.for([
  ["an MP4", "mp4", ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "5"]],
  ["an MKV", "mkv", ["-c:v", "libx264", "-preset", "veryfast", "-g", "5"]],
  ["an AVI", "avi", ["-c:v", "mpeg4", "-q:v", "2", "-g", "5"]],
  ["a WebM", "webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "5"]],
] as const)(
  "frames around damage in the middle keep their times, and have a decoder's numbers: %s",
  async ([, extension, codec]) => {
    const source = await clips.make(
      ...numbered({ frames: 40 }),
      ...codec,
      "-pix_fmt",
      "yuv420p",
      `whole.${extension}`,
    );
    const bytes = Buffer.from(await readFile(source));
    // Not over anything that locates frames: within one frame's own bytes.
    const frame = await positionOfPacket(clips, source, 20);
    for (let at = frame.position + 12; at < frame.position + frame.size; at++)
      bytes[at] = (bytes[at] ?? 0) ^ 0xa5;
    const path = clips.path(`damaged.${extension}`);
    await writeFile(path, bytes);

    const clip = await probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 60 }, signal);
    const decoded = await shownTimes(path);
    const seen: number[] = [];
    const all = [...clip.times.keys()];
    for await (const { frameIdx, timeSec, rgb } of readFrames(ffmpeg, clip, all, clip, signal)) {
      expect(timeSec).toBeCloseTo(decoded[frameIdx] ?? -1, 3);
      const number = Math.round(timeSec * 25);
      seen.push(number);
      // A damaged frame shows something else, and so do those that refer to it: all up to the next key frame but one.
      if (number < 18 || number >= 30) expect(numberOf({ rgb }, clip)).toBe(number);
    }
    expect(seen).toHaveLength(decoded.length);
    expect(seen).toEqual(expect.arrayContaining([0, 10, 17, 30, 35, 39]));
    expect(clip.decoding.frames.lost).toBe(40 - decoded.length);
  },
);
