import fc from "fast-check";
import { signal } from "@preact/signals";
import type { MasksJson, Track } from "segmentation-client";
import { encodeRle } from "segmentation-client/masks";
import { describe, expect, it } from "vitest";
import { draw } from "../../../../client/test/support/shapes.ts";
import type { RegionPoint } from "@segmentation/masks";
import type { Region } from "../../../src/viewer/types.ts";
import {
  type ClipRegion,
  objectIdsIn,
  regionsOfTracks,
  regionsOn,
} from "../../../src/workspace/rules/clip-regions.ts";
import { ClipPointing } from "../../../src/clip/clip-pointing.ts";
import { nameOf, objectsOf, seenInWords } from "../../../src/clip/objects.ts";
import { Playback } from "../../../src/clip/playback.ts";
import { clock, shownAt, spansOf, stepFrom, timesAt } from "../../../src/clip/time.ts";
import { requestFor, shownAs } from "../../../src/clip/frame-question.ts";

const track = (
  objectId: number,
  prompt: string | undefined,
  seen: readonly (readonly [number, number])[],
  pointed: Pick<Track, "region" | "label"> = {},
): Track => ({
  objectId,
  prompt,
  ...pointed,
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

describe("the objects of a video", () => {
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
    expect(objects.map((object) => seenInWords(object, 3))).toEqual([
      "2 frames, 0:00.0–0:01.5, 75%",
      "1 frame, 0:00.5–0:00.5, 90%",
      "1 frame, 0:02.0–0:02.0, 80%",
    ]);
  });

  it("that are pointed at come after those, even before a job, each by its name, and say where they are unsure and lost", () => {
    const seen = [
      [0, 0.9],
      [0.5, 0.4],
    ] as const;
    const tracks = [
      track(4, undefined, seen, { region: 0, label: "camel" }),
      track(9, "dog", seen),
      track(6, undefined, seen, { region: 1 }),
    ];
    const regions = [
      { objectId: 4, timeSeconds: 2, label: "Bactrian camel", region: BOX },
      { objectId: 7, timeSeconds: 1, region: BOX },
      { objectId: 4, timeSeconds: 0, label: "Bactrian camel", region: BOX },
    ];
    const objects = objectsOf(tracks, ["dog"], regions);
    expect(objects.map((object) => [nameOf(object), object.id, seenInWords(object, 4)])).toEqual([
      ["dog 1", 9, "2 frames, 0:00.0–0:00.5, 65%"],
      ["Bactrian camel 1", 4, "2 frames, 0:00.0–0:00.5, 65%, unsure in 1, lost in 2"],
      ["Object 1", 7, "pointed at 0:01.0; not tracked"],
      ["Object 2", 6, "2 frames, 0:00.0–0:00.5, 65%, unsure in 1, lost in 2"],
    ]);
    const [before] = objectsOf([], [], regions);
    expect(before && seenInWords(before, null)).toBe("pointed at 0:00.0, 0:02.0");
  });
});

describe("a video's time", () => {
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

  it("shows where an object is sure, unsure and lost", () => {
    const seen = [0.9, 0.8, 0.3, 0.9].map((confidence, i) => ({
      sampleIdx: [0, 1, 2, 4][i] ?? 0,
      confidence,
    }));
    expect(spansOf([0, 1, 2, 3, 4], seen, 5)).toEqual([
      { from: 0, to: 2, isSure: true },
      { from: 2, to: 3, isSure: false },
      { from: 4, to: 5, isSure: true },
    ]);
  });
});

const BOX: Region = { box: [1, 2, 30, 40] };
const click = (x: number, label: 0 | 1 = 1): Region => ({ points: [{ x, y: 5, label }] });
/** Two frames of a video in which object 1 is a bar of 10 × 3 pixels at the left. */
const MASKS: MasksJson = {
  version: 1,
  width: 40,
  height: 20,
  fps: 2,
  frames: [0, 1].map((sampleIdx) => ({
    sampleIdx,
    frameIdx: sampleIdx,
    timeSec: sampleIdx / 2,
    objects: [
      {
        objectId: 1,
        regionIndex: 0,
        score: 0.9,
        box: [0, 0, 10, 3],
        rle: encodeRle(draw(40, 20, (x, y) => x < 10 && y < 3)),
      },
    ],
  })),
};

/** Pointing at a video of two frames per second, two seconds long. */
function pointing() {
  const regions = signal<readonly ClipRegion[]>([]);
  const playback = new Playback();
  playback.times.value = timesAt(2, 2);
  const by = new ClipPointing({ regions }, playback);
  by.choose("point");
  const at = async (seconds: number, region: Region, isFurther = false): Promise<void> => {
    playback.seek(seconds);
    await by.point(region, isFurther, MASKS);
  };
  return { by, at, regions };
}

describe("pointing at objects of a video", () => {
  it("begins an object with each click, and corrects the chosen one in other frames, under its name", async () => {
    const { by, at, regions } = pointing();
    await at(0, click(1));
    await at(0.5, BOX);
    by.rename(1, "saucer");
    by.correct(1);
    await at(1.5, click(7));
    await at(1.5, { points: [...pointsOf(click(7)), ...pointsOf(click(9, 0))] }, true);
    await at(1, BOX);
    expect(regions.value).toEqual([
      { objectId: 1, timeSeconds: 0, label: "saucer", region: click(1) },
      { objectId: 2, timeSeconds: 0.5, region: BOX },
      {
        objectId: 1,
        timeSeconds: 1.5,
        label: "saucer",
        region: { points: [...pointsOf(click(7)), ...pointsOf(click(9, 0))] },
      },
      { objectId: 1, timeSeconds: 1, label: "saucer", region: BOX },
    ]);
    expect(regionsOn("c.mp4", regions.value.slice(0, 1))).toEqual([
      { taskId: "c.mp4", timeSeconds: 0, objectId: 1, label: "saucer", ...click(1) },
    ]);
  });

  it("removes a part from the frame's mask, and says what to do without one", async () => {
    const { by, at, regions } = pointing();
    await at(0, click(1));
    by.correct(1);
    await at(0.5, click(30, 0), true);
    expect(regions.value[1]?.region).toEqual({
      points: [{ x: 4, y: 0, label: 1 }, ...pointsOf(click(30, 0))],
    });
    await at(1.5, click(30, 0), true);
    expect(regions.value).toHaveLength(2);
    expect(by.complaint.value).toContain("Click the object itself");
  });

  it("takes no more than a job takes, and can all be taken back", async () => {
    const { by, at, regions } = pointing();
    for (let x = 0; x < 12; x++) await at(x % 2, click(x));
    expect(objectIdsIn(regions.value)).toHaveLength(10);
    expect(by.complaint.value).toContain("at most 10 objects");
    by.remove(3);
    expect(objectIdsIn(regions.value)).not.toContain(3);
    while (by.canUndo.value) by.undo();
    expect(regions.value).toEqual([]);
    expect(by.target.value).toBeNull();
    while (by.canRedo.value) by.redo();
    expect(objectIdsIn(regions.value)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("takes the surest frame of each object from a job created elsewhere", () => {
    const tracks = [
      track(3, "dog", [[0, 1]]),
      track(
        5,
        undefined,
        [
          [0, 0.5],
          [0.5, 0.9],
        ],
        { region: 0, label: "camel" },
      ),
    ];
    expect(regionsOfTracks(tracks)).toEqual([
      { objectId: 5, timeSeconds: 0.5, label: "camel", region: { box: [0, 0, 1, 1] } },
    ]);
  });
});

const pointsOf = (region: Region): readonly RegionPoint[] => ("points" in region ? region.points : []);

describe("a frame that is tried", () => {
  it("requests the video's prompts and its named regions", () => {
    const box = [1, 2, 3, 4] as const;
    const regions = [{ objectId: 1, timeSeconds: 2, label: "cat", region: { box } }];
    expect(requestFor("a.png", { prompts: ["dog"], regions })).toEqual({
      type: "image",
      tasks: ["a.png"],
      prompts: ["dog"],
      regions: [{ taskId: "a.png", box: [1, 2, 3, 4], label: "cat" }],
    });
    expect(requestFor("a.png", { prompts: [], regions }).prompts).toBeUndefined();
  });

  it("shows each object by the name and the color that the list has, before and after the job", () => {
    const regions = [1, 2, 4].map((objectId) => ({ objectId, timeSeconds: objectId, region: BOX }));
    const list = objectsOf([], ["dog", "cat"], regions);
    const question = { prompts: ["dog", "cat"], regions: regions.slice(1) };
    const pointed = { prompt: null, label: null };
    expect(shownAs({ ...pointed, number: 1, region: 0 }, question, list)).toEqual({
      label: "Object 2",
      colour: list[1]?.colour,
    });
    expect(shownAs({ ...pointed, number: 2, region: 1 }, question, list)).toEqual({
      label: "Object 3",
      colour: list[2]?.colour,
    });
    const cat = { prompt: "cat", label: "cat", number: 1 };
    const [tracked] = objectsOf([track(9, "cat", [[0, 0.9]])], ["dog", "cat"]);
    expect(shownAs(cat, question, list)).toEqual({ label: "cat 1", colour: tracked?.colour });
  });
});
