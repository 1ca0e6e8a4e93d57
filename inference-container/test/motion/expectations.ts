/** Expected results for the videos of this folder, at every sampling rate. */
import { expect } from "vitest";
import { type ComparedFrame, allIds, idsOf, ownersOn, shareFound, visibleShare } from "./compare.ts";

const OVERLAP = 0.85;

/** The video's only object is found in its place on nearly every frame, under one id. */
export function expectFollowed(frames: readonly ComparedFrame[], name: string): void {
  expect(shareFound(frames, name, OVERLAP)).toBeGreaterThanOrEqual(0.95);
  expect(allIds(frames).size).toBe(1);
}

/** The two who cross keep their identities before and after; neither has the other's id, though one was hidden meanwhile. */
export function expectCrossed(frames: readonly ComparedFrame[]): void {
  const hidden = frames.filter((frame) => visibleShare(frame, "far") < 0.25);
  expect(hidden).not.toHaveLength(0);
  const clear = frames.filter((frame) => visibleShare(frame, "far") > 0.9);
  expect(clear.some(({ timeSec }) => timeSec < timeOf(hidden))).toBe(true);
  expect(clear.some(({ timeSec }) => timeSec > timeOf(hidden))).toBe(true);
  for (const frame of clear) expect(ownersOn(frame)).toEqual(["far", "near"]);
  expect(idsOf(frames, "near")).toHaveLength(1);
  expect(idsOf(clear, "far")).toHaveLength(1);
  expect(idsOf(frames, "far")).not.toContain(idsOf(frames, "near")[0]);
}

/** The cup that leaves is away for this many frames and comes back under its id; the other cup keeps its id. */
export function expectCameBack(frames: readonly ComparedFrame[], framesAway: number): void {
  const away = frames.filter((frame) => visibleShare(frame, "leaves") === 0);
  expect(away.length).toBeGreaterThanOrEqual(framesAway);
  for (const frame of away) expect(ownersOn(frame)).toEqual(["stays"]);
  const there = frames.filter((frame) => visibleShare(frame, "leaves") > 0.5);
  expect(there.some(({ timeSec }) => timeSec < timeOf(away))).toBe(true);
  expect(there.some(({ timeSec }) => timeSec > timeOf(away))).toBe(true);
  for (const frame of there) expect(ownersOn(frame)).toEqual(["leaves", "stays"]);
  const [stays, leaves] = [idsOf(frames, "stays"), idsOf(frames, "leaves")];
  expect([stays.length, leaves.length]).toEqual([1, 1]);
  expect(stays).not.toEqual(leaves);
}

/** The time in seconds of the first of some frames. */
function timeOf([first]: readonly ComparedFrame[]): number {
  return first?.timeSec ?? expect.fail();
}
