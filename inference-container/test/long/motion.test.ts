import { expect, test } from "vitest";
import { crossing, leaving, pan, zoom } from "../motion/clips.ts";
import { idsOf, ownersOn, visibleShare } from "../motion/compare.ts";
import { expectCameBack, expectCrossed, expectFollowed } from "../motion/expectations.ts";
import { missingDetector, segmenting } from "../motion/segmenting.ts";

const segment = segmenting();
const segmentMissing = segmenting(missingDetector(2, 8));
const [FROM, TO] = [2, 5];
const segmentMissingOne = segmenting(missingDetector(FROM, TO));

test("ten seconds of a camera's pan give 60 frames with the cat where it is, under one id", async () => {
  const frames = await segment(await pan(), {});
  expect(frames).toHaveLength(60);
  expectFollowed(frames, "cat");
});

test("a person whom the camera goes near keeps the mask and the id over 12 frames", async () => {
  const frames = await segment(await zoom(), { numFrames: 12 });
  expect(frames).toHaveLength(12);
  expectFollowed(frames, "person");
});

test("two people who walk past each other keep their ids over 20 frames", async () => {
  const frames = await segment(await crossing(), { fps: 5 });
  expect(frames).toHaveLength(20);
  expectCrossed(frames);
});

test("a cup that is away for at least 4 of 16 frames comes back under its id", async () => {
  const frames = await segment(await leaving(), { fps: 4 });
  expect(frames).toHaveLength(16);
  expectCameBack(frames, 4);
});

test("two people who meet while the detector misses everything for two seconds keep their ids", async () => {
  const frames = await segmentMissing(await crossing(), { fps: 3 });
  expect(frames).toHaveLength(12);
  const together = frames.filter((frame) => visibleShare(frame, "far") > 0.9);
  for (const name of ["near", "far"]) expect(idsOf(together, name)).toHaveLength(1);
  expect(idsOf(frames, "far")).not.toEqual(idsOf(frames, "near"));
  // For a second they are drawn without a detection.
  for (const frame of frames.slice(2, 5)) expect(ownersOn(frame)).toEqual(["far", "near"]);
  expect(ownersOn(frames.at(-1) ?? expect.fail())).toEqual(["far", "near"]);
});

test("a cat over whose face the camera pans keeps its mask and its id, though the detector misses it for a second [2.5-13]", async () => {
  const fps = 3;
  const frames = await segmentMissingOne(await pan(fps), { fps, maxFrames: TO + 1 });
  const times = frames.map(({ timeSec }) => timeSec);
  expect(times).toHaveLength(TO + 1);
  expect(times[TO - 1]).toBeCloseTo((times[FROM - 1] ?? 0) + 1, 2);
  expectFollowed(frames, "cat");
});
