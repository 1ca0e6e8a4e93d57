import { expect, test } from "vitest";
import { saucer, saucersCross, saucerThenCat } from "../motion/clips.ts";
import { type ComparedFrame, idsOf, ownersOn, visibleShare } from "../motion/compare.ts";
import { segmenting } from "../motion/segmenting.ts";

const segment = segmenting();

/** The overlaps of a true object's mask, in the frames in which enough of it is visible. */
const overlaps = (frames: readonly ComparedFrame[], name: string, leastVisible: number): number[] =>
  frames
    .filter((frame) => visibleShare(frame, name) >= leastVisible)
    .map(({ found }) => Math.max(0, ...found.map((one) => one.overlaps[name] ?? 0)));

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test.for([
  ["its first frame", 0],
  ["its last frame", 17 / 3],
] as const)(
  "a saucer that moves, turns, grows, is hidden, leaves and comes back is followed from %s",
  async ([, pointedAt]) => {
    const frames = await segment(await saucer(3, pointedAt), { fps: 3 });
    expect(frames).toHaveLength(18);
    const away = frames.filter((frame) => visibleShare(frame, "saucer") < 0.02);
    // A second behind the registry, and more outside the picture.
    expect(away.length).toBeGreaterThanOrEqual(6);
    for (const { found } of away) expect(found).toEqual([]);
    expect(mean(overlaps(frames, "saucer", 0.9))).toBeGreaterThan(0.85);
    expect(idsOf(frames, "saucer")).toEqual([1]);
    for (const end of [frames[0], frames.at(-1)]) expect(end && ownersOn(end)).toEqual(["saucer"]);
  },
);

test("two saucers that cross keep their ids", async () => {
  const frames = await segment(await saucersCross(3), { fps: 3 });
  const clear = frames.filter((frame) => visibleShare(frame, "far") > 0.9);
  expect(idsOf(clear, "near")).toEqual([1]);
  expect(idsOf(clear, "far")).toEqual([2]);
  expect(mean(overlaps(clear, "far", 0.9))).toBeGreaterThan(0.8);
  expect(mean(overlaps(frames, "near", 0.9))).toBeGreaterThan(0.85);
});

test("a cut in the middle ends the following", async () => {
  const frames = await segment(await saucerThenCat(3, 1, 2), { fps: 3 });
  expect(frames.map(({ found }) => found.length)).toEqual([1, 1, 1, 0, 0, 0]);
});
