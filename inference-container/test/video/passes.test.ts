import { expect, test } from "vitest";
import { planPasses } from "../../src/video/select-filter.ts";

/** A video of 1,000 frames at 10 per second, with a key frame at every fiftieth. */
const times = Float64Array.from({ length: 1_000 }, (_, at) => at / 10);
const keys = Array.from({ length: 20 }, (_, at) => at * 50);

test("a frame far after the previous one is decoded from its own key frame", () => {
  expect(planPasses(times, keys, [0, 420, 440, 470, 999])).toEqual([
    { indexes: [0], key: null, seconds: 0, after: -1 },
    { indexes: [420, 440, 470], key: 400, seconds: 41.25, after: 0 },
    { indexes: [999], key: 950, seconds: 96.225, after: 470 },
  ]);
});

test("the first frame may lie far behind the start", () => {
  expect(planPasses(times, keys, [420])).toEqual([{ indexes: [420], key: 400, seconds: 41.25, after: -1 }]);
});

test("a seek saves at least a hundred frames, or is not made", () => {
  expect(planPasses(times, keys, [49, 150])).toHaveLength(2);
  expect(planPasses(times, keys, [50, 150])).toEqual([]);
  expect(planPasses(times, keys, [100])).toHaveLength(1);
  expect(planPasses(times, keys, [0, 99, 199])).toEqual([]);
});

test("nothing is saved without key frames, or without any before the frames", () => {
  expect(planPasses(times, [], [0, 500, 999])).toEqual([]);
  expect(planPasses(times, [600], [0, 599])).toEqual([]);
  expect(planPasses(times, keys, [])).toEqual([]);
});
