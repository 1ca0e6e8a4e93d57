import { expect, test } from "vitest";
import { pan } from "./clips.ts";
import { allIds, shareFound } from "./compare.ts";
import { MISSED } from "./missing-detector.ts";
import { CLIP_MS, MISSING_DETECTOR, segmenting } from "./segmenting.ts";

const FPS = 6;
const segment = segmenting(MISSING_DETECTOR);

test(
  "a cat that the detector misses for a second keeps its mask and its id",
  { timeout: CLIP_MS },
  async () => {
    const frames = await segment(await pan(FPS), { fps: FPS, maxFrames: MISSED[1] + 1 });
    expect(frames).toHaveLength(MISSED[1] + 1);
    const missed = frames.slice(...MISSED);
    expect(missed.map(({ timeSec }) => timeSec).at(-1)).toBeCloseTo(
      (frames[MISSED[0] - 1]?.timeSec ?? 0) + 1,
      2,
    );
    for (const frame of frames) expect(shareFound([frame], "cat", 0.8)).toBe(1);
    expect(allIds(frames).size).toBe(1);
  },
);
