// As few clips and frames as prove it: test/long/motion.test.ts has all of them, with five times as many frames.
import { test } from "vitest";
import { crossing, pan } from "./clips.ts";
import { expectCrossed, expectFollowed } from "./expectations.ts";
import { CLIP_MS, segmenting } from "./segmenting.ts";

/** Frames per second of the clips: more would only take longer to make. */
const FPS = 6;

const segment = segmenting();

test("a cat over whose face the camera pans is where it is, under one id", { timeout: CLIP_MS }, async () => {
  expectFollowed(await segment(await pan(FPS), { numFrames: 4 }), "cat");
});

test("two people who walk past each other keep their ids", { timeout: CLIP_MS }, async () => {
  expectCrossed(await segment(await crossing(FPS), { fps: 1.5 }));
});
