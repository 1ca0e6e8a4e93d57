// As few frames as prove it: test/long/motion.test.ts uses five times as many.
import { test } from "vitest";
import { crossing, leaving, pan, zoom } from "./clips.ts";
import { expectCameBack, expectCrossed, expectFollowed } from "./expectations.ts";
import { CLIP_MS, segmenting } from "./segmenting.ts";

/** Frames per second of the clips: more would only take longer to make. */
const FPS = 6;

const segment = segmenting();

test("a cat over whose face the camera pans is where it is, under one id", { timeout: CLIP_MS }, async () => {
  expectFollowed(await segment(await pan(FPS), { numFrames: 4 }), "cat");
});

test("a person whom the camera goes near keeps the mask and the id", { timeout: CLIP_MS }, async () => {
  expectFollowed(await segment(await zoom(FPS), { numFrames: 3 }), "person");
});

test("two people who walk past each other keep their ids", { timeout: CLIP_MS }, async () => {
  expectCrossed(await segment(await crossing(FPS), { fps: 1.5 }));
});

test(
  "a cup that left the picture comes back under its id, and the other keeps its own",
  { timeout: CLIP_MS },
  async () => {
    expectCameBack(await segment(await leaving(FPS), { fps: 2 }), 3);
  },
);
