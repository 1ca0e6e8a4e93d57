import { expect, test } from "vitest";
import { saucer } from "../motion/clips.ts";
import { idsOf, ownersOn, shareFound } from "../motion/compare.ts";
import { CLIP_MS, segmenting } from "../motion/segmenting.ts";

const segment = segmenting();

test(
  "the embedded model follows what no word names, forwards and backwards",
  { timeout: CLIP_MS },
  async () => {
    // Each new frame costs seconds.
    const frames = await segment(await saucer(3, 1 / 3, 1), { fps: 3 });
    expect(frames).toHaveLength(3);
    for (const frame of frames) expect(ownersOn(frame)).toEqual(["saucer"]);
    expect(shareFound(frames, "saucer", 0.9)).toBe(1);
    expect(idsOf(frames, "saucer")).toEqual([1]);
  },
);
