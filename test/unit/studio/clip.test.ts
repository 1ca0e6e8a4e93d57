import fc from "fast-check";
import type { Track } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { nameOf, objectsOf } from "../../../studio/src/clip/objects.ts";
import { clock, shownAt, stepFrom } from "../../../studio/src/clip/time.ts";

const track = (objectId: number, prompt: string, seen: readonly (readonly [number, number])[]): Track => ({
  objectId,
  prompt,
  sightings: seen.map(([timeSec, confidence], sampleIdx) => ({
    sampleIdx,
    frameIdx: sampleIdx,
    timeSec,
    confidence,
    box: [0, 0, 1, 1],
    rle: { size: [1, 1], counts: "01" },
    bitmap: () => ({ width: 1, height: 1, data: new Uint8Array(1) }),
  })),
});

describe("the objects of a clip", () => {
  it("show when they were seen, how often and with what confidence, by prompt", () => {
    const tracks = [
      track(7, "dog", [[0.5, 0.9]]),
      track(3, "person", [
        [0, 0.5],
        [1.5, 1],
      ]),
      track(9, "dog", [[2, 0.8]]),
      track(4, "dog", []),
    ];
    const objects = objectsOf(tracks, ["person", "dog"]);
    expect(objects.map((object) => [nameOf(object), object.id])).toEqual([
      ["person 1", 3],
      ["dog 1", 7],
      ["dog 2", 9],
    ]);
    expect(objects[0]).toMatchObject({ sightings: 2, first: 0, last: 1.5, confidence: 0.75 });
  });
});

describe("a clip's time", () => {
  it("reads as minutes, seconds and tenths", () => {
    expect([0, 9.96, 59.96, 61.25, 600].map(clock)).toEqual([
      "0:00.0",
      "0:10.0",
      "1:00.0",
      "1:01.3",
      "10:00.0",
    ]);
  });

  it("steps through all processed frames, one after the other, and back", () => {
    const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(distinct, (hundredths) => {
        const times = hundredths.toSorted((a, b) => a - b).map((each) => each / 100);
        const seen = [times[0] ?? 0];
        while (seen.length < times.length) seen.push(stepFrom(times, seen.at(-1) ?? 0, 1));
        expect(seen).toEqual(times);
        const back = [seen.at(-1) ?? 0];
        while (back.length < times.length) back.push(stepFrom(times, back.at(-1) ?? 0, -1));
        expect(back).toEqual(times.toReversed());
      }),
    );
  });

  it("shows a processed frame until the next one comes", () => {
    const times = [0, 0.5, 1];
    expect([0, 0.49, 0.4999, 0.7, 5].map((seconds) => shownAt(times, seconds))).toEqual([0, 0, 1, 1, 2]);
    expect(stepFrom(times, 0.7, -1)).toBe(0.5);
    expect(shownAt([], 1)).toBe(-1);
  });
});
