import { describe, expect, test } from "vitest";
import type { Film } from "../support/video/coloured-scene.ts";
import { range, follow, inFrame, click, overlap, type Frames, disc } from "../support/follow.ts";

test("a correction is drawn in its frame, and tracked from there with the same id", async () => {
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 40 + 6 * frame, 50), disc("blue", 40 + 6 * frame, 140)],
  });
  const regions = [
    click(40, 50, 0, { objectId: 3 }),
    click(40 + 6 * 6, 140, inFrame(6), { index: 1, objectId: 3 }),
  ];
  const frames = await follow(film, { regions, frames: 12 });
  for (const frame of range(0, 12))
    expect(overlap(frames, 3, film, frame, frame < 6 ? 0 : 1), `frame ${frame}`).toBeGreaterThan(0.85);
  expect(frames.flat().every(({ regionIndex }) => regionIndex === 0)).toBe(true);
});

describe("a correction in a frame that the tracking has reached", () => {
  /** A thing in two colors. */
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 60 + 5 * frame, 90), disc("blue", 100 + 5 * frame, 90)],
  });
  const [red, blue] = [0, 1];
  const both = (frames: Frames, frame: number): number =>
    Math.min(overlap(frames, 1, film, frame, red), overlap(frames, 1, film, frame, blue));

  test("adds the clicked part to its mask, from that frame on", async () => {
    const regions = [
      click(60, 90, 0, { objectId: 1 }),
      click(100 + 5 * 6, 90, inFrame(6), { index: 1, objectId: 1 }),
    ];
    const frames = await follow(film, { regions, frames: 12 });
    for (const frame of range(0, 6)) expect(overlap(frames, 1, film, frame, red)).toBeGreaterThan(0.85);
    // Each is about half of both.
    for (const frame of range(6, 12)) expect(both(frames, frame), `frame ${frame}`).toBeGreaterThan(0.4);
    expect(frames[6]?.[0]?.score).toBeGreaterThan(0.5);
  });

  test("removes the part that is clicked as outside", async () => {
    const regions = [
      { index: 0, objectId: 1, timeSeconds: 0, box: [30, 60, 100, 60] as const },
      {
        index: 1,
        objectId: 1,
        timeSeconds: inFrame(6),
        points: [{ x: 100 + 5 * 6, y: 90, label: 0 as const }],
      },
    ];
    const frames = await follow(film, { regions, frames: 12 });
    for (const frame of range(0, 6)) expect(both(frames, frame), `frame ${frame}`).toBeGreaterThan(0.4);
    for (const frame of range(6, 12)) expect(overlap(frames, 1, film, frame, red)).toBeGreaterThan(0.85);
  });

  test("before its first region changes the backward tracking", async () => {
    const regions = [
      click(60 + 5 * 8, 90, inFrame(8), { objectId: 1 }),
      click(100 + 5 * 3, 90, inFrame(3), { index: 1, objectId: 1 }),
    ];
    const frames = await follow(film, { regions, frames: 10 });
    for (const frame of range(0, 4)) expect(both(frames, frame), `frame ${frame}`).toBeGreaterThan(0.4);
    for (const frame of range(4, 10)) expect(overlap(frames, 1, film, frame, red)).toBeGreaterThan(0.85);
  });
});
