import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clipFolder,
  ffmpeg,
  manyReferences,
  REFERENCE_FRAMES,
  type ClipFolder,
} from "../support/video/clips.ts";
import { readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});
afterAll(() => clips.remove());

/** The number of frames that are read of a video of the largest size. */
async function framesRead(references: number): Promise<number> {
  const path = await clips.make(...manyReferences("8192x4320", references), `${references}.mp4`);
  const { signal } = new AbortController();
  const clip = await probeClip(ffmpeg, path, { inputPixels: 36e6, seconds: 60 }, signal);
  let frames = 0;
  const all = [...clip.times.keys()];
  for await (const frame of readFrames(ffmpeg, clip, all, { width: 2048, height: 1080 }, signal))
    frames = frame.sampleIdx + 1;
  return frames;
}

test("the largest frames are read as encoders write them", async () => {
  expect(await framesRead(3)).toBe(REFERENCE_FRAMES);
});

test("a small file that would take 4.6 GB of memory is refused", async () => {
  await expect(framesRead(16)).rejects.toMatchObject({
    code: "video_unreadable",
    message: expect.stringContaining("takes more memory"),
  });
});
