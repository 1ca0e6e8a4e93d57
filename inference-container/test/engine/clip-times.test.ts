import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Usage } from "../../src/device/usage.ts";
import { ClipTimes } from "../../src/engine/clip-times.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
const rounded = ({ ms }: ClipTimes): number[] =>
  [ms.decode, ms.infer, ms.post, ms.encode].map((spent) => Math.round(spent));

test("a video's time goes to the stage that ended then", () => {
  const times = new ClipTimes(new Usage());
  for (const [i, stage] of (["decode", "infer", "post", "encode", "infer"] as const).entries()) {
    pass(10 ** i);
    times.lap(stage);
  }
  expect(rounded(times)).toEqual([1, 10_010, 100, 1_000]);
});

test("during a wait for results, others' turns count nowhere, and a frame not decoded yet counts as decoding", () => {
  const usage = new Usage();
  const times = new ClipTimes(usage);
  pass(1);
  times.stood(1);
  usage.asked();
  pass(10);
  usage.began();
  pass(100);
  usage.ended(100);
  pass(1_000);
  times.lap("infer");
  expect(rounded(times)).toEqual([1, 1_100, 0, 0]);
});

test("only the part of another's turn during a wait for results is left out", () => {
  const usage = new Usage();
  const times = new ClipTimes(usage);
  pass(1);
  usage.asked();
  pass(10);
  times.lap("infer");
  pass(100);
  times.lap("encode");
  pass(1_000);
  usage.began();
  pass(10_000);
  times.lap("infer");
  expect(rounded(times)).toEqual([0, 10_001, 0, 100]);
});
