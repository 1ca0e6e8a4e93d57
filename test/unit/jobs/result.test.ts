import type { ImageTaskOutput, VideoTaskOutput } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { ArchivedManifest } from "../../../src/jobs/contract/result.ts";
import type { FinishedJob } from "../../../src/jobs/rules/answers.ts";
import { annotationsOf, assetsOf, manifestOf, storedMask } from "../../../src/jobs/rules/result.ts";
import { IMAGE_OUTPUT, imageJob, videoJob } from "../../support/a-job.ts";

const A = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.png";
const B = "00000000-7f4c-4a57-9d1e-2f6f3b8f1c11.png";
const FILM = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4";

const mask = (maskIndex: number, confidence: number) => ({
  maskIndex,
  promptIndex: 0,
  confidence,
  file: `masks/${maskIndex}.png`,
});

const CATS: ImageTaskOutput = {
  ...IMAGE_OUTPUT,
  masks: [mask(0, 0.9), mask(1, 0.8)],
  preview: "preview.png",
};

const CLIP: VideoTaskOutput = {
  type: "video",
  units: 12,
  generatedAt: "2026-01-02T00:00:00.000Z",
  framesWithMasks: 5,
  totalMasks: 7,
  masks: "masks.json",
  preview: "preview.mp4",
  notice: null,
};

const PICTURES: FinishedJob = {
  definition: imageJob([A, B], { prompts: ["cat", "chair"] }),
  tasks: [
    { taskId: A, lease: 4, output: CATS },
    { taskId: B, lease: 2, output: IMAGE_OUTPUT },
  ],
};

const video = (changes: Parameters<typeof videoJob>[0] = {}, output = CLIP): FinishedJob => ({
  definition: videoJob({ taskIds: [FILM], prompts: ["dog"], ...changes }),
  tasks: [{ taskId: FILM, lease: 3, output }],
});

const refer = (key: string): string => `https://storage.test/${key}`;

describe("a job's assets", () => {
  it("are each picture's masks by their index, then its preview, in the order of the request", () => {
    expect(assetsOf(PICTURES)).toEqual([
      { key: `masks/${A}/0.png`, objectKey: `outputs/acct_1/job_1/${A}/4/masks/0.png` },
      { key: `masks/${A}/1.png`, objectKey: `outputs/acct_1/job_1/${A}/4/masks/1.png` },
      { key: `preview/${A}.png`, objectKey: `outputs/acct_1/job_1/${A}/4/preview.png` },
    ]);
  });

  it("are each picture's files in the formats that it was written in, behind its preview, in the table's order", () => {
    const formats = {
      embedding: "embedding.bin",
      labelmap: "labelmap.png",
      cutout: true,
      yolo: "labels.txt",
      coco: "annotations.json",
    };
    const task = { taskId: A, lease: 4, output: { ...CATS, ...formats } };
    expect(assetsOf({ ...PICTURES, tasks: [task] }).slice(3)).toEqual(
      [
        [`annotations/${A}.json`, "annotations.json"],
        [`labels/${A}.txt`, "labels.txt"],
        [`cutouts/${A}/0.png`, "cutouts/0.png"],
        [`cutouts/${A}/1.png`, "cutouts/1.png"],
        [`labelmaps/${A}.png`, "labelmap.png"],
        [`embeddings/${A}.bin`, "embedding.bin"],
      ].map(([key, name]) => ({ key, objectKey: `outputs/acct_1/job_1/${A}/4/${name}` })),
    );
  });

  it("are a video's masks.json and its preview", () => {
    const masks = {
      key: `masks/${FILM}/masks.json`,
      objectKey: `outputs/acct_1/job_1/${FILM}/3/masks.json`,
    };
    const preview = {
      key: `preview/${FILM}.mp4`,
      objectKey: `outputs/acct_1/job_1/${FILM}/3/preview.mp4`,
    };
    expect(assetsOf(video())).toEqual([masks, preview]);
    expect(assetsOf(video({}, { ...CLIP, preview: null }))).toEqual([masks]);
  });
});

describe("a job's COCO documents", () => {
  it("are those of its tasks that were written in that format", () => {
    const [first, second] = PICTURES.tasks;
    if (first === undefined || second === undefined) throw new Error("no pictures");
    const coco = { ...first, output: { ...CATS, coco: "annotations.json", yolo: "labels.txt" } };
    expect(annotationsOf({ ...PICTURES, tasks: [coco, second] })).toEqual([
      { key: `annotations/${A}.json`, objectKey: `outputs/acct_1/job_1/${A}/4/annotations.json` },
    ]);
  });
});

describe("a mask that another job refines", () => {
  const pinned = { ...PICTURES, definition: { ...PICTURES.definition, inputEtags: ['"first"', '"second"'] } };
  const beach = { taskId: B, lease: 2, output: { ...IMAGE_OUTPUT, masks: [mask(1, 0.7)] } };

  it("is found by its picture and index, with the pinned bytes", () => {
    const objectKey = `outputs/acct_1/job_1/${A}/4/masks/1.png`;
    expect(storedMask(PICTURES, { taskId: A, maskIndex: 1 })).toStrictEqual({ objectKey });
    expect(storedMask(pinned, { taskId: A, maskIndex: 1 })).toEqual({ objectKey, inputEtag: '"first"' });
    const both = { ...pinned, tasks: [...PICTURES.tasks.slice(0, 1), beach] };
    expect(storedMask(both, { taskId: B, maskIndex: 1 })).toEqual({
      objectKey: `outputs/acct_1/job_1/${B}/2/masks/1.png`,
      inputEtag: '"second"',
    });
  });

  it.each<[string, FinishedJob, string]>([
    ["a picture that is not the job's", PICTURES, FILM],
    ["a picture without such a mask", PICTURES, B],
    ["a video", video(), FILM],
  ])("is none of %s", (_, of, taskId) => {
    expect(storedMask(of, { taskId, maskIndex: 0 })).toBeNull();
  });
});

describe("the manifest of an image job", () => {
  it("has each picture with its masks, in the order of the request, and its preview if there is one", () => {
    const { generatedAt } = IMAGE_OUTPUT;
    expect(manifestOf(PICTURES, refer)).toEqual({
      jobId: "job_1",
      type: "image",
      prompts: ["cat", "chair"],
      items: [
        {
          taskId: A,
          inputId: A,
          units: 1,
          generatedAt,
          previewUrl: `https://storage.test/preview/${A}.png`,
          masks: [
            { maskIndex: 0, confidence: 0.9, url: `https://storage.test/masks/${A}/0.png` },
            { maskIndex: 1, confidence: 0.8, url: `https://storage.test/masks/${A}/1.png` },
          ],
        },
        { taskId: B, inputId: B, units: 1, generatedAt, masks: [] },
      ],
    });
  });

  it("refers to each of the job's assets once", () => {
    const referred: string[] = [];
    manifestOf(PICTURES, (key) => {
      referred.push(key);
      return key;
    });
    expect(referred.toSorted()).toEqual(
      assetsOf(PICTURES)
        .map(({ key }) => key)
        .toSorted(),
    );
  });
});

describe("the manifest of a video job", () => {
  it("has the video with its masks, its preview and its counts", () => {
    expect(manifestOf(video({ scoreThreshold: 0.3 }), refer)).toEqual({
      jobId: "job_1",
      type: "video",
      prompts: ["dog"],
      items: [
        {
          taskId: FILM,
          inputId: FILM,
          units: 12,
          generatedAt: "2026-01-02T00:00:00.000Z",
          previewUrl: `https://storage.test/preview/${FILM}.mp4`,
          masks: `https://storage.test/masks/${FILM}/masks.json`,
          scoreThreshold: 0.3,
          counts: { framesProcessed: 12, framesWithMasks: 5, totalMasks: 7 },
        },
      ],
    });
  });

  it.each([{ fps: 2 }, { numFrames: 10 }, { fps: 2, maxFrames: 20 }, {}])(
    "repeats only the requested frames' options: %j",
    (asked) => {
      const [item = {}] = manifestOf(video(asked), refer).items;
      const { fps, numFrames, maxFrames } = {
        fps: undefined,
        numFrames: undefined,
        maxFrames: undefined,
        ...item,
      };
      expect(JSON.parse(JSON.stringify({ fps, numFrames, maxFrames }))).toEqual(asked);
      for (const name of ["fps", "numFrames", "maxFrames"]) expect(name in item).toBe(name in asked);
    },
  );

  it("names no preview without one", () => {
    const [item] = manifestOf(video({}, { ...CLIP, preview: null }), refer).items;
    expect(item).not.toHaveProperty("previewUrl");
  });
});

describe("a manifest", () => {
  it("has the shape of the archive's contract", () => {
    for (const job of [PICTURES, video({ fps: 2, maxFrames: 20 })]) {
      expect(ArchivedManifest.safeParse(manifestOf(job, (key) => key)).error).toBeUndefined();
    }
  });

  it("leaves out other job types' fields", () => {
    const [picture] = PICTURES.tasks;
    if (picture === undefined) throw new Error("no picture");
    const clip = { taskId: FILM, lease: 1, output: CLIP };
    const namesOf = (job: FinishedJob) => manifestOf(job, refer).items.map(({ taskId }) => taskId);
    expect(namesOf({ ...PICTURES, tasks: [picture, clip] })).toEqual([A]);
    expect(namesOf({ ...video(), tasks: [picture, clip] })).toEqual([FILM]);
  });
});
