import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { TaskRegion } from "@segmentation/protocol";
import type { ImageTask } from "../../src/messages.ts";
import { Semaphore } from "../../src/semaphore.ts";
import type { Model } from "../../src/models/model.ts";
import { runPicture } from "../../src/engine/run-picture.ts";
import { loadModel } from "../support/service/fixture-model.ts";
import { CocoPictures } from "../support/masks/formats.ts";
import { samples, turned } from "../support/pictures/pictures.ts";
import { imageOutput } from "../support/service/reports.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  rig.worker.inputs.set("turned.jpg", await turned());
});
afterAll(() => rig[Symbol.asyncDispose]());

/** The left upper quarter of the picture, and a place to the right. */
const box: TaskRegion = { index: 4, box: [0, 0, 40, 30] };
const points: TaskRegion = { index: 7, points: [{ x: 70, y: 30, label: 1 }] };

/** A stored mask's pixels, and the texts of its PNG. */
async function stored(path: string) {
  const png = sharp(rig.worker.stored.get(path));
  const { comments } = await png.metadata();
  const { data, info } = await png.extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  return {
    comments,
    size: [info.width, info.height],
    at: (x: number, y: number) => data[y * info.width + x],
  };
}

test("each region gives one mask behind those of the prompts, which names the region's index and no prompt [A5-4]", async () => {
  const report = await rig.finish({ key: "both", prompts: ["bright"], regions: [box, points] });
  const { masks } = imageOutput(report);
  expect(masks).toEqual([
    { maskIndex: 0, promptIndex: 0, confidence: 0.9, file: "masks/0.png" },
    { maskIndex: 1, regionIndex: 4, confidence: 0.8, file: "masks/1.png" },
    // The model's estimate was 1.02.
    { maskIndex: 2, regionIndex: 7, confidence: 1, file: "masks/2.png" },
  ]);
  const [boxed, clicked] = [await stored("both/masks/1.png"), await stored("both/masks/2.png")];
  expect(boxed.comments).toEqual([{ keyword: "region", text: "4" }]);
  expect(clicked.comments).toEqual([{ keyword: "region", text: "7" }]);
  expect([boxed.at(10, 10), boxed.at(70, 10), boxed.at(10, 50)]).toEqual([255, 0, 0]);
  expect([clicked.at(70, 30), clicked.at(20, 30)]).toEqual([255, 0]);
});

test("a task of regions alone has their masks and its preview, whatever the threshold", async () => {
  const report = await rig.finish({
    key: "alone",
    prompts: [],
    regions: [box],
    threshold: 1,
    generatePreview: true,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, masks: 0 },
  });
  expect(imageOutput(report)).toMatchObject({
    masks: [{ regionIndex: 4 }],
    notice: null,
    preview: "preview.png",
  });
});

test("coordinates are those of the picture as it is shown: turned by its EXIF orientation [A5-7]", async () => {
  const regions: TaskRegion[] = [{ index: 0, box: [0, 60, 60, 20] }];
  const inputUrl = `${rig.worker.origin}/inputs/turned.jpg`;
  await rig.finish({ key: "turned", prompts: [], regions, inputUrl });
  const { size, at } = await stored("turned/masks/0.png");
  expect(size).toEqual([60, 80]);
  expect([at(30, 70), at(30, 30)]).toEqual([255, 0]);
});

test("a region outside the picture fails the task, and says how large the picture is [A5-8]", async () => {
  const regions: TaskRegion[] = [box, { index: 5, points: [{ x: 80, y: 0, label: 1 }] }];
  expect(await rig.finish({ regions })).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "region_outside_image", message: expect.stringContaining("regions[5]") },
  });
});

test("unknown prompts lead to a notice, but fail no task that also has regions", async () => {
  const report = await rig.finish({ prompts: ["unicorn"], regions: [box] });
  expect(imageOutput(report)).toMatchObject({
    masks: [{ regionIndex: 4 }],
    notice: { code: "prompt_outside_vocabulary" },
  });
});

test("an annotation of a region has the category `region`, which comes behind those of the prompts [A5-6]", async () => {
  const formats = { wanted: ["coco" as const], taskId: "a.png", index: 0 };
  await rig.finish({ key: "coco", prompts: ["bright", "nothing"], regions: [box], formats });
  const { categories, annotations } = CocoPictures.parse(
    JSON.parse(String(rig.worker.stored.get("coco/annotations.json"))),
  );
  expect(categories).toEqual([
    { id: 1, name: "bright" },
    { id: 2, name: "nothing" },
    { id: 3, name: "region" },
  ]);
  expect(annotations.map(({ category_id }) => category_id)).toEqual([1, 3]);
});

test("a region whose mask has no pixel at the mask's threshold still has its PNG, and is in no format", async () => {
  const formats = { wanted: ["coco" as const, "cutout" as const], taskId: "a.png", index: 0 };
  const report = await rig.finish({ key: "empty", prompts: [], regions: [box], maskThreshold: 1, formats });
  expect(imageOutput(report).masks).toHaveLength(1);
  expect((await stored("empty/masks/0.png")).at(10, 10)).toBe(0);
  expect([...rig.worker.stored.keys()].filter((path) => path.startsWith("empty/")).toSorted()).toEqual([
    "empty/annotations.json",
    "empty/masks/0.png",
  ]);
});

test("examples with one label find objects together, in the place of the first, and others separately", async () => {
  const findAll = true as const;
  const regions: TaskRegion[] = [
    { ...box, label: "cup", findAll },
    { ...points, index: 5 },
    { ...points, index: 6, label: "cup", findAll },
    { ...points, index: 8, findAll },
  ];
  const formats = { wanted: ["coco" as const], taskId: "a.png", index: 0 };
  const report = await rig.finish({ key: "alike", prompts: [], regions, formats });
  expect(imageOutput(report).masks.map(({ regionIndex, confidence }) => [regionIndex, confidence])).toEqual([
    [4, 0.9],
    [4, 0.8],
    [5, 1],
    [8, 0.9],
  ]);
  const { categories, annotations } = CocoPictures.parse(
    JSON.parse(String(rig.worker.stored.get("alike/annotations.json"))),
  );
  expect(categories.map(({ name }) => name)).toEqual(["cup", "region"]);
  expect(annotations.map(({ category_id }) => category_id)).toEqual([1, 1, 2, 2]);
});

test("a model that finds by words only says regions_unsupported, before it looks at the picture [A5-9]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "regions-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "input"), (await samples())["bright.png"] ?? "");
  const { drawsRegions: _, decoder: __, ...wordsOnly } = await loadModel("fixture");
  const task: ImageTask = {
    type: "image",
    key: "picture",
    lane: "bulk",
    inputPath: join(folder, "input"),
    contentHash: "picture",
    prompts: ["bright"],
    regions: [box],
    generatePreview: false,
    folder,
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, masks: 200 },
    threshold: 0,
    maskThreshold: 0.5,
  };
  const hooks = { at: () => undefined, progress: () => undefined, signal: new AbortController().signal };
  await expect(runPicture(wordsOnly, task, hooks, new Semaphore(1))).rejects.toMatchObject({
    code: "regions_unsupported",
  });
  const formats = { wanted: ["embedding" as const], taskId: "a.png", index: 0 };
  const { regions: ___, ...words } = task;
  await expect(runPicture(wordsOnly, { ...words, formats }, hooks, new Semaphore(1))).rejects.toMatchObject({
    code: "embedding_unsupported",
  });
  const refused = async (model: Model, region: TaskRegion): Promise<unknown> =>
    runPicture(model, { ...task, regions: [{ ...region, findAll: true }] }, hooks, new Semaphore(1)).catch(
      (error: unknown) => error,
    );
  const unsupported = (what: string) => ({
    code: "examples_unsupported",
    message: expect.stringContaining(what),
  });
  const { findsAlike: ____, ...draws } = await loadModel("fixture");
  expect(await refused(draws, box)).toMatchObject(unsupported("can't find all objects that look like"));
  expect(await refused(wordsOnly, points)).toMatchObject(unsupported("can't take points as an example"));
});

/** A mask's PNG, white from the left to before `right`. */
const maskTo = (right: number, width = 80) =>
  sharp(
    Uint8Array.from({ length: width * 60 }, (_, at) => (at % width < right ? 255 : 0)),
    {
      raw: { width, height: 60, channels: 1 },
    },
  )
    .png()
    .toBuffer();

test("a region may correct the mask of an earlier result: the mask stays, and the clicks add to it", async () => {
  rig.worker.inputs.set("former.png", await maskTo(20));
  const priorMasks = [{ regionIndex: 7, url: `${rig.worker.origin}/inputs/former.png` }];
  const report = await rig.finish({ key: "corrected", prompts: [], regions: [box, points], priorMasks });
  expect(imageOutput(report).masks.map(({ regionIndex }) => regionIndex)).toEqual([4, 7]);
  const [boxed, corrected] = [await stored("corrected/masks/0.png"), await stored("corrected/masks/1.png")];
  expect([corrected.at(5, 55), corrected.at(70, 30), corrected.at(40, 5)]).toEqual([255, 255, 0]);
  // The other region corrects nothing.
  expect(boxed.at(5, 55)).toBe(0);
});

test.for([
  ["is gone", "no-such.png", undefined, "is no longer in storage"],
  ["belongs to another picture", "other.png", maskTo(20, 81), "81 × 60 pixels"],
  ["is no picture", "text.png", Buffer.from("text"), "can't be read"],
] as const)("a mask to correct that %s fails the task by name", async ([what, name, bytes, reason]) => {
  if (bytes !== undefined) rig.worker.inputs.set(name, await bytes);
  const priorMasks = [{ regionIndex: 7, url: `${rig.worker.origin}/inputs/${name}` }];
  expect(
    await rig.finish({ key: `prior-${what.replaceAll(" ", "-")}`, regions: [points], priorMasks }),
  ).toMatchObject({
    outcome: "failed",
    problem: { code: "prior_mask_unusable", message: expect.stringMatching(`regions\\[7\\].*${reason}`) },
    retryable: false,
  });
});

test("a region's label names it in COCO and in the preview, and its category is the job's", async () => {
  const regions: TaskRegion[] = [
    { ...box, label: "saucer" },
    { ...points, label: "bright" },
  ];
  const formats = {
    wanted: ["coco" as const],
    taskId: "a.png",
    index: 0,
    regionNames: ["spoon", "saucer", "bright"],
  };
  await rig.finish({ key: "labelled", prompts: ["bright"], regions, formats });
  const document: unknown = JSON.parse(String(rig.worker.stored.get("labelled/annotations.json")));
  expect(document).toMatchObject({
    categories: [
      { id: 1, name: "bright" },
      { id: 2, name: "spoon" },
      { id: 3, name: "saucer" },
    ],
    annotations: [{ category_id: 1 }, { category_id: 3 }, { category_id: 1 }],
  });
});
