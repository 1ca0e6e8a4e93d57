// As few clips and frames as prove it: test/long/motion.test.ts has all of them, with many more frames.
import { expect, test } from "vitest";
import { pan } from "./clips.ts";
import { expectFollowed } from "./expectations.ts";
import { CLIP_MS, missingDetector, segmenting } from "./segmenting.ts";

/** Frames per second of the clip: more would only take longer to make. */
const FPS = 3;
const [FROM, TO] = [2, 5];
const segment = segmenting(missingDetector(FROM, TO));

test(
  "a cat over whose face the camera pans keeps its mask and its id, though the detector misses it for a second [2.5-13]",
  { timeout: CLIP_MS },
  async () => {
    const frames = await segment(await pan(FPS), { fps: FPS, maxFrames: TO + 1 });
    const times = frames.map(({ timeSec }) => timeSec);
    expect(times).toHaveLength(TO + 1);
    expect(times[TO - 1]).toBeCloseTo((times[FROM - 1] ?? 0) + 1, 2);
    expectFollowed(frames, "cat");
  },
);
