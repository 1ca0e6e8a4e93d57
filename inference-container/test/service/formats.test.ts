import type { ImageTaskRequest } from "@segmentation/protocol";
import { readEmbedding, valuesOf } from "@segmentation/masks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { present } from "../../../test/support/at.ts";
import {
  CocoClip,
  CocoPictures,
  expectCoco,
  expectCutout,
  expectLabelmap,
  expectYolo,
  type KnownMask,
  masksOf,
  readMask,
} from "../support/masks/formats.ts";
import { MasksJson } from "../support/masks/masks-json.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { turned } from "../support/pictures/pictures.ts";
import { imageOutput, videoOutput } from "../support/service/reports.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  rig.worker.inputs.set("turned.jpg", await turned());
  rig.worker.inputs.set("clip.mp4", movingSquare(2));
});
afterAll(() => rig[Symbol.asyncDispose]());

const ALL = { wanted: ["coco", "yolo", "cutout", "labelmap"] } as const satisfies object;
const stored = (path: string): Buffer => present(rig.worker.stored.get(path), path);
const storedOf = (key: string): string[] =>
  [...rig.worker.stored.keys()]
    .filter((path) => path.startsWith(`${key}/`))
    .map((path) => path.slice(key.length + 1));

/** The masks of a task's result. */
async function finish(request: Partial<ImageTaskRequest> & { key: string }): Promise<KnownMask[]> {
  const { masks } = imageOutput(await rig.finish(request));
  return Promise.all(
    masks.map(async ({ file, ...mask }) => ({
      ...mask,
      mask: await readMask(stored(`${request.key}/${file}`)),
    })),
  );
}

test("a picture's masks are in each format that its task wants, as others read them [A4-5 A4-7 A4-10 A4-11]", async () => {
  const prompts = ["stripes", "bright", "faint", "nothing"];
  const formats = { ...ALL, wanted: [...ALL.wanted], taskId: "the-picture.jpg", index: 41 };
  const inputUrl = `${rig.worker.origin}/inputs/turned.jpg`;
  const known = await finish({ key: "every", prompts, formats, inputUrl, threshold: 0.2 });
  expect(known).toHaveLength(10);

  const document = CocoPictures.parse(JSON.parse(stored("every/annotations.json").toString()));
  expectCoco(document, "the-picture.jpg", known);
  expect(document.images).toEqual([{ id: 42, width: 60, height: 80, file_name: "the-picture.jpg" }]);
  expect(document.categories).toEqual(prompts.map((name, i) => ({ id: i + 1, name })));
  expect(document.annotations.map(({ id }) => id)).toEqual(known.map((_, i) => 410_001 + i));

  expectYolo(stored("every/labels.txt").toString(), known);
  await expectLabelmap(stored("every/labelmap.png"), known);
  for (const mask of known)
    await expectCutout(stored(`every/cutouts/${mask.maskIndex}.png`), mask, await turned());
});

test.for([
  ["coco", "annotations.json"],
  ["yolo", "labels.txt"],
  ["cutout", "cutouts/0.png"],
  ["labelmap", "labelmap.png"],
] as const)("a task that wants %s alone writes nothing of the other formats", async ([format, name]) => {
  const key = `only-${format}`;
  const report = await rig.finish({ key, formats: { wanted: [format], taskId: "a.png", index: 0 } });
  expect(storedOf(key).toSorted()).toEqual([name, "masks/0.png"].toSorted());
  const { [format]: reported } = imageOutput(report);
  expect(reported).toBe(format === "cutout" ? true : name);
});

test("a picture's embedding is written with the model and the picture's size, even without anything to draw", async () => {
  const formats = { wanted: ["embedding" as const], taskId: "a.png", index: 0 };
  const inputUrl = `${rig.worker.origin}/inputs/turned.jpg`;
  const output = imageOutput(await rig.finish({ key: "features", prompts: [], inputUrl, formats }));
  expect(output).toMatchObject({ masks: [], embedding: "embedding.bin", notice: null, units: 1 });
  expect(storedOf("features")).toEqual(["embedding.bin"]);
  const { tensors, ...about } = readEmbedding(stored("features/embedding.bin"));
  expect(about).toEqual({
    model: { id: "fixture", version: "1.0.0" },
    decoder: { width: 32, height: 32, islandShare: 0.05, holeShare: 0.5 },
    width: 60,
    height: 80,
  });
  expect(tensors.map((tensor) => [...valuesOf(tensor)])).toEqual([[60, 80]]);
});

test("a task without formats reports the usual files [A4-3]", async () => {
  const output = imageOutput(await rig.finish({ key: "none" }));
  expect(Object.keys(output).toSorted()).toEqual([
    "generatedAt",
    "masks",
    "notice",
    "preview",
    "type",
    "units",
  ]);
  expect(storedOf("none")).toEqual(["masks/0.png"]);
});

test("a picture without objects has an empty document, an empty line of labels and a map of zeros", async () => {
  const formats = { wanted: [...ALL.wanted], taskId: "a.png", index: 0 };
  expect(await finish({ key: "empty", prompts: ["nothing"], formats })).toEqual([]);
  expect(storedOf("empty").toSorted()).toEqual(["annotations.json", "labelmap.png", "labels.txt"]);
  const document = CocoPictures.parse(JSON.parse(stored("empty/annotations.json").toString()));
  expect(document).toMatchObject({
    annotations: [],
    images: [{ width: 80 }],
    categories: [{ name: "nothing" }],
  });
  expect(stored("empty/labels.txt").toString()).toBe("\n");
  await expectLabelmap(stored("empty/labelmap.png"), []);
});

test("a video's document has its frames as images, and each object's track [A4-12]", async () => {
  const formats = { wanted: ["coco" as const], taskId: "the-clip.mp4", index: 0 };
  const report = await rig.finishVideo({ key: "clip", prompts: ["nothing", "bright"], formats });
  expect(videoOutput(report)).toMatchObject({ units: 12, totalMasks: 12, coco: "annotations.json" });

  const document = CocoClip.parse(JSON.parse(stored("clip/annotations.json").toString()));
  const masks = MasksJson.parse(JSON.parse(stored("clip/masks.json").toString()));
  expect(document.videos).toEqual([{ id: 1, name: "the-clip.mp4", width: 320, height: 240 }]);
  expect(document.images).toEqual(
    masks.frames.map(({ sampleIdx, frameIdx, timeSec }) => ({
      id: sampleIdx + 1,
      video_id: 1,
      frame_id: sampleIdx,
      frame_index: frameIdx,
      time: timeSec,
      width: 320,
      height: 240,
      file_name: `the-clip.mp4/${String(frameIdx).padStart(6, "0")}.jpg`,
    })),
  );
  expect(masksOf(document.annotations)).toHaveLength(12);
  expect(document.annotations).toMatchObject(
    masks.frames.flatMap(({ sampleIdx, objects }) =>
      objects.map(({ objectId, promptIndex, score, rle }) => ({
        id: sampleIdx + 1,
        image_id: sampleIdx + 1,
        video_id: 1,
        track_id: objectId,
        category_id: (promptIndex ?? NaN) + 1,
        segmentation: rle,
        score: expect.closeTo(score, 6),
        iscrowd: 0,
      })),
    ),
  );
});
