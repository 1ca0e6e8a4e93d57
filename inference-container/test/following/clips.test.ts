import { describe, expect, test } from "vitest";
import type { Region } from "@segmentation/masks";
import type { Followable, Model } from "../../src/models/model.ts";
import { colourModel, type Film } from "../support/video/coloured-scene.ts";
import { follow, click, disc, inFrame, range, framesWith, overlap } from "../support/follow.ts";

test("an object is tracked forward and backward from its region, as it moves and grows", async () => {
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("blue", 200, 150, 20), disc("red", 40 + 8 * frame, 90, 16 + frame)],
  });
  const regions = [click(40 + 8 * 9, 90, inFrame(9), { index: 4, label: "saucer" })];
  const frames = await follow(film, { regions, frames: 18 });
  for (const frame of range(0, 18)) {
    expect(overlap(frames, 1, film, frame, 1), `frame ${frame}`).toBeGreaterThan(0.85);
    expect(frames[frame]).toMatchObject([{ objectId: 1, regionIndex: 4, label: "saucer" }]);
  }
});

test("a hidden object has no mask, and keeps its id when it is found again elsewhere", async () => {
  const film: Film = (frame) => {
    const shown = disc("red", frame < 9 ? 50 + 4 * frame : 200, frame < 9 ? 60 : 140);
    return { ground: "grey", discs: [disc("green", 60, 160), ...(frame < 5 || frame >= 11 ? [shown] : [])] };
  };
  const frames = await follow(film, { regions: [click(50, 60, 0)], frames: 16 });
  expect(framesWith(frames, 1)).toEqual([...range(0, 5), ...range(11, 16)]);
  for (const frame of framesWith(frames, 1)) expect(overlap(frames, 1, film, frame, 1)).toBeGreaterThan(0.85);
});

test("an ambiguous box means the part that stands out from its surroundings", async () => {
  // The test's model treats sand as a ground, of which it draws nothing for a box.
  const film: Film = (frame) => ({ ground: "grey", discs: [disc("sand", 60 + 6 * frame, 90, 30)] });
  const regions = [{ index: 0, timeSeconds: 0, box: [24, 54, 80, 70] as const }];
  const frames = await follow(film, { regions, frames: 6 });
  for (const frame of range(0, 6)) expect(overlap(frames, 1, film, frame, 0)).toBeGreaterThan(0.85);
});

test("an object that suddenly moves by several of its sizes is found in the same frame", async () => {
  const film: Film = (frame) => ({ ground: "grey", discs: [disc("red", frame < 4 ? 40 : 200, 90)] });
  const frames = await follow(film, { regions: [click(40, 90, 0)], frames: 6 });
  expect(framesWith(frames, 1)).toEqual(range(0, 6));
});

test("objects that cross keep their ids, and are never drawn as the same thing", async () => {
  const film: Film = (frame) => ({
    ground: "sand",
    discs: [disc("blue", 40 + 10 * frame, 90), disc("red", 220 - 10 * frame, 90)],
  });
  const regions = [click(40, 90, 0, { objectId: 7 }), click(220, 90, 0, { index: 1 })];
  const frames = await follow(film, { regions, frames: 18 });
  for (const frame of [...range(0, 6), ...range(13, 18)]) {
    expect(overlap(frames, 7, film, frame, 0), `blue in ${frame}`).toBeGreaterThan(0.8);
    expect(overlap(frames, 1, film, frame, 1), `red in ${frame}`).toBeGreaterThan(0.8);
  }
});

test("an object and a part of it are both tracked", async () => {
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 60 + 8 * frame, 90, 44), disc("blue", 60 + 8 * frame, 90, 18)],
  });
  const regions = [
    { index: 0, timeSeconds: 0, points: [{ x: 90, y: 90, label: 1 as const }] },
    click(60, 90, 0, { index: 1 }),
  ];
  const frames = await follow(film, { regions, frames: 6 });
  for (const objectId of [1, 2]) expect(framesWith(frames, objectId)).toEqual(range(0, 6));
});

test("three doubtful objects of a frame get a second try, and only the least sure one with its last mask", async () => {
  const film: Film = () => ({
    ground: "grey",
    discs: (["sand", "red", "green", "blue"] as const).map((colour, at) =>
      disc(colour, 30 + 60 * at, 90, 20),
    ),
  });
  const plain = colourModel();
  const drawn: (readonly Region[])[] = [];
  const unsure: Model = {
    ...plain,
    segment: async (picture, request) => {
      const { open = expect.fail(), ...found } = await plain.segment(picture, request);
      const seen = open.following ?? expect.fail();
      const offers: Followable["offers"] = async (regions) => {
        if (regions.length > 0) drawn.push(regions);
        const offered = await seen.offers(regions);
        return offered.map((masks) => masks.map((one) => ({ ...one, quality: 0.6 })));
      };
      const following: Followable = {
        appearance: () => seen.appearance(),
        cleaned: (mask) => seen.cleaned(mask),
        votes: (cells, known) => seen.votes(cells, known),
        offers,
      };
      return { ...found, open: { draw: (regions) => open.draw(regions), following, [Symbol.dispose]() {} } };
    },
  };
  const regions = [0, 1, 2, 3].map((index) => click(30 + 60 * index, 90, 0, { index }));
  const frames = await follow(film, { regions, frames: 2, model: unsure });
  expect(frames.map((objects) => objects.length)).toEqual([4, 4]);
  const [first, second, ...more] = drawn.slice(regions.length);
  expect(first).toHaveLength(4);
  expect(second?.map(({ prior }) => prior !== undefined)).toEqual([false, true, false, false]);
  expect(more).toEqual([]);
});

test("a cut ends the tracking, even if the next scene has the same object; a region there restarts it", async () => {
  const film: Film = (frame) => ({
    ground: frame < 6 ? "grey" : "sand",
    discs: [disc("red", frame < 6 ? 80 : 120, 90)],
  });
  const once = await follow(film, { regions: [click(80, 90, 0)], frames: 12 });
  expect(framesWith(once, 1)).toEqual(range(0, 6));
  const again = [click(80, 90, 0, { objectId: 1 }), click(120, 90, inFrame(8), { index: 1, objectId: 1 })];
  expect(framesWith(await follow(film, { regions: again, frames: 12 }), 1)).toEqual([
    ...range(0, 6),
    ...range(8, 12),
  ]);
});

describe("a task fails, and says which region is wrong, if", () => {
  const film: Film = () => ({ ground: "grey", discs: [disc("red", 80, 90)] });

  test.for([
    ["it is at a time after the video's end", click(80, 90, 2.5, { index: 9 }), "region_outside_clip"],
    ["it is outside the picture", click(300, 90, 0, { index: 9 }), "region_outside_image"],
  ] as const)("%s", async ([, region, code]) => {
    await expect(follow(film, { regions: [region], frames: 6 })).rejects.toMatchObject({
      problem: { code, message: expect.stringContaining("regions[9]") },
    });
  });

  test("the model follows nothing", async () => {
    const model = colourModel(undefined, false);
    await expect(follow(film, { regions: [click(80, 90, 0)], frames: 6, model })).rejects.toMatchObject({
      problem: { code: "regions_unsupported", message: expect.stringContaining("follow regions") },
    });
  });
});
