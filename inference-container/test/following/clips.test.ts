import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { VideoTask } from "../../src/messages.ts";
import type { Followable, Model, Region } from "../../src/models/model.ts";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";
import { runVideo } from "../../src/worker/run-video.ts";
import { colourModel, type Disc, type Film, filmed, RATE, visible } from "../support/video/coloured-scene.ts";
import { MasksJson } from "../support/masks/masks-json.ts";
import { decodeRle } from "../support/masks/plain-rle.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "following-"));
});
afterEach(() => rm(folder, { recursive: true }));

interface Asked {
  readonly regions: NonNullable<VideoTask["regions"]>;
  readonly frames: number;
  readonly prompts?: readonly string[];
  readonly model?: Model;
  readonly formats?: VideoTask["formats"];
  readonly generatePreview?: boolean;
  readonly sampling?: VideoTask["sampling"];
}

const EVERY: VideoTask["sampling"] = { fps: null, numFrames: null, maxFrames: null };

/** What a film's clip shows of the objects that are asked for, frame by frame. */
async function follow(film: Film, asked: Asked, processed = asked.frames) {
  const { regions, frames, prompts = [], model = colourModel(), formats, generatePreview = false } = asked;
  const { sampling = EVERY } = asked;
  await writeFile(join(folder, "clip.mp4"), filmed(film, frames));
  const task: VideoTask = {
    type: "video",
    key: "film",
    lane: "bulk",
    inputPath: join(folder, "clip.mp4"),
    folder,
    prompts,
    regions,
    generatePreview,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, seconds: 100, frames: 1_000 },
    scoreThreshold: 0.5,
    sampling,
    ...(formats !== undefined && { formats }),
  };
  const { signal } = new AbortController();
  const done: number[] = [];
  const progress = (count: number): void => void done.push(count);
  await runVideo(model, findFfmpeg(process.env), task, { at: () => undefined, progress, signal });
  const written = MasksJson.parse(JSON.parse(await readFile(join(folder, "masks.json"), "utf8")));
  expect(written.frames).toHaveLength(processed);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  return written.frames.map(({ objects }) => objects);
}

type Frames = Awaited<ReturnType<typeof follow>>;

/** The frames in which an object is, by their numbers. */
const framesWith = (frames: Frames, objectId: number): number[] =>
  frames.flatMap((objects, frame) => (objects.some((one) => one.objectId === objectId) ? [frame] : []));

/** The IoU of an object's mask with the visible part of a disc; 0 where it has none. */
function overlap(frames: Frames, objectId: number, film: Film, frame: number, disc: number): number {
  const rle = frames[frame]?.find((one) => one.objectId === objectId)?.rle;
  if (rle === undefined) return 0;
  const mask = decodeRle(rle);
  let [both, either] = [0, 0];
  for (const [at, set] of visible(film, frame, disc).entries()) {
    if (mask[at] === true && set === 1) both += 1;
    if (mask[at] === true || set === 1) either += 1;
  }
  return both / either;
}

const click = (x: number, y: number, timeSeconds: number, more: object = {}) => ({
  index: 0,
  timeSeconds,
  points: [{ x, y, label: 1 as const }],
  ...more,
});
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const inFrame = (frame: number): number => frame / RATE;

const disc = (colour: Disc["colour"], x: number, y: number, radius = 24): Disc => ({ colour, x, y, radius });

test("an object is followed forwards and backwards from where it is pointed at, as it moves and grows", async () => {
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

test("where the model is unsure of what a box means, it is what stands out from the box's surroundings", async () => {
  // To the model of these tests, sand is a ground, of which it draws nothing for a box.
  const film: Film = (frame) => ({ ground: "grey", discs: [disc("sand", 60 + 6 * frame, 90, 30)] });
  const regions = [{ index: 0, timeSeconds: 0, box: { x: 24, y: 54, width: 80, height: 70 } }];
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

test("a thing and a part of it are both followed", async () => {
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

test("of a frame's doubtful objects three are drawn in another way, too, and only the least sure with its last mask", async () => {
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
        looks: () => seen.looks(),
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

test("a cut ends the following, though the next scene has the same thing; a region there begins again", async () => {
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

test("a correction is drawn in its frame, and followed from there with the same id", async () => {
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

describe("a correction in a frame into which the object was followed", () => {
  /** A thing in two colours. */
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 60 + 5 * frame, 90), disc("blue", 100 + 5 * frame, 90)],
  });
  const [red, blue] = [0, 1];
  const both = (frames: Frames, frame: number): number =>
    Math.min(overlap(frames, 1, film, frame, red), overlap(frames, 1, film, frame, blue));

  test("adds what is clicked to its mask, from there on and not before", async () => {
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

  test("takes away what is clicked as not belonging to it", async () => {
    const regions = [
      { index: 0, objectId: 1, timeSeconds: 0, box: { x: 30, y: 60, width: 100, height: 60 } },
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

  test("before its first region changes what is followed backwards", async () => {
    const regions = [
      click(60 + 5 * 8, 90, inFrame(8), { objectId: 1 }),
      click(100 + 5 * 3, 90, inFrame(3), { index: 1, objectId: 1 }),
    ];
    const frames = await follow(film, { regions, frames: 10 });
    for (const frame of range(0, 4)) expect(both(frames, frame), `frame ${frame}`).toBeGreaterThan(0.4);
    for (const frame of range(4, 10)) expect(overlap(frames, 1, film, frame, red)).toBeGreaterThan(0.85);
  });
});

describe("words and regions in one job", () => {
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 60 + 5 * frame, 50), disc("blue", 190 - 5 * frame, 140)],
  });

  test("share each frame's features, and no two objects share an id", async () => {
    const counted = { encoded: 0 };
    const regions = [click(190, 140, 0, { objectId: 2, label: "ball" })];
    const frames = await follow(film, { regions, frames: 8, prompts: ["red"], model: colourModel(counted) });
    expect(counted.encoded).toBe(8);
    for (const objects of frames)
      expect(objects.toSorted((a, b) => a.objectId - b.objectId)).toMatchObject([
        { objectId: 2, regionIndex: 0, label: "ball" },
        { objectId: 3, promptIndex: 0 },
      ]);
  });

  test("are called by their labels in the preview", async () => {
    const preview = async (label: string): Promise<Buffer> => {
      await follow(film, { regions: [click(190, 140, 0, { label })], frames: 2, generatePreview: true });
      return await readFile(join(folder, "preview.mp4"));
    };
    const [ball, again, egg] = [await preview("ball"), await preview("ball"), await preview("egg")];
    expect(Buffer.compare(ball, again)).toBe(0);
    expect(Buffer.compare(ball, egg)).not.toBe(0);
  });

  test("have categories of their own in COCO, a label that is a prompt the prompt's", async () => {
    const regions = [
      click(190, 140, 0, { label: "ball" }),
      click(60, 50, 0, { index: 1, label: "red" }),
      click(190, 140, 0, { index: 2 }),
    ];
    const formats: VideoTask["formats"] = { wanted: ["coco"], taskId: "clip.mp4", index: 0 };
    await follow(film, { regions, frames: 2, prompts: ["red"], formats });
    const document: unknown = JSON.parse(await readFile(join(folder, "annotations.json"), "utf8"));
    expect(document).toMatchObject({
      categories: [
        { id: 1, name: "red" },
        { id: 2, name: "ball" },
        { id: 3, name: "region" },
      ],
      annotations: expect.arrayContaining([
        expect.objectContaining({ image_id: 1, track_id: 1, category_id: 2 }),
        expect.objectContaining({ image_id: 1, track_id: 2, category_id: 1 }),
        expect.objectContaining({ image_id: 1, track_id: 3, category_id: 3 }),
        expect.objectContaining({ image_id: 1, track_id: 4, category_id: 1 }),
      ]),
    });
  });
});

describe("a task fails, and says which region is wrong, if", () => {
  const film: Film = () => ({ ground: "grey", discs: [disc("red", 80, 90)] });

  test.for([
    ["it is at a time after the clip's end", click(80, 90, 2.5, { index: 9 }), "region_outside_clip"],
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

describe("a time picks the frame that is shown then", () => {
  const film: Film = (frame) => ({ ground: "grey", discs: frame < 3 ? [] : [disc("red", 80, 90)] });

  test("also just before the next one", async () => {
    const until: Film = (frame) => ({ ground: "grey", discs: frame < 3 ? [disc("red", 80, 90)] : [] });
    const frames = await follow(until, { regions: [click(80, 90, 2.9 / RATE)], frames: 6 });
    expect(framesWith(frames, 1)).toEqual([0, 1, 2]);
  });

  test("which is processed, though the rate would leave it out", async () => {
    const sampling = { fps: RATE / 4, numFrames: null, maxFrames: null };
    const asked = { regions: [click(80, 90, 3 / RATE)], frames: 6, sampling };
    expect(framesWith(await follow(film, asked, 3), 1)).toEqual([1, 2]);
  });

  test("which takes the place of another sample, where there may be no more", async () => {
    const sampling = { fps: null, numFrames: 2, maxFrames: null };
    const late: Film = (frame) => ({ ground: "grey", discs: frame < 4 ? [] : [disc("red", 80, 90)] });
    const asked = { regions: [click(80, 90, 4 / RATE)], frames: 6, sampling };
    expect(framesWith(await follow(late, asked, 2), 1)).toEqual([1]);
  });

  test("but none after maxFrames, which is said", async () => {
    const sampling = { fps: null, numFrames: null, maxFrames: 2 };
    const late = follow(film, { regions: [click(80, 90, 4 / RATE)], frames: 6, sampling });
    await expect(late).rejects.toThrow(/maxFrames ends the processing at/);
  });
});
