import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../../src/jobs/contract/job.ts";
import {
  categoriesOfJob,
  clipRegionsOf,
  defineJob,
  priorsOfTask,
  regionsOfTask,
} from "../../../../src/jobs/rules/define.ts";
import { BEGIN, imageJob, videoJob } from "../../../support/a-job.ts";
import fc from "fast-check";
import { TaskRegion } from "@segmentation/protocol";
import { taskIds } from "./proposed-jobs.ts";

const pictures = (count: number): CreateJobRequest =>
  CreateJobRequest.parse({
    type: "image",
    prompts: ["cat", "chair"],
    tasks: taskIds(count, "png"),
    generatePreview: true,
    threshold: 0.4,
    maskThreshold: 0.6,
  });
const clip = (changes: object = {}): CreateJobRequest =>
  CreateJobRequest.parse({ type: "video", prompts: ["dog"], tasks: taskIds(1, "mp4"), ...changes });

const define = (request: CreateJobRequest, hasFreeRefinements?: boolean) =>
  defineJob({ accountId: "acct_1", accessMode: "paid" }, request, "job_1", BEGIN, hasFreeRefinements);

describe("a job's definition", () => {
  it("is what its account asked for, of pictures", () => {
    expect(define(pictures(2))).toEqual({
      jobId: "job_1",
      accountId: "acct_1",
      type: "image",
      processingMode: "batch",
      lane: "bulk",
      prompts: ["cat", "chair"],
      generatePreview: true,
      threshold: 0.4,
      maskThreshold: 0.6,
      taskIds: taskIds(2, "png"),
      createdAt: BEGIN,
    });
  });

  it("is what its account asked for, of a video", () => {
    expect(define(clip({ fps: 2, maxFrames: 120, scoreThreshold: 0.3 }))).toEqual({
      jobId: "job_1",
      accountId: "acct_1",
      type: "video",
      processingMode: "video",
      lane: "bulk",
      prompts: ["dog"],
      generatePreview: false,
      scoreThreshold: 0.3,
      fps: 2,
      numFrames: null,
      maxFrames: 120,
      taskIds: taskIds(1, "mp4"),
      createdAt: BEGIN,
    });
    expect(define(clip({ numFrames: 10 }))).toMatchObject({ fps: null, numFrames: 10, maxFrames: null });
  });

  it("marks example regions, for the task's regions too, and leaves other regions unmarked", () => {
    const [taskId = ""] = taskIds(1, "png");
    const box = [1, 2, 3, 4];
    const regions = [
      { taskId, box, label: "cup", findAll: true },
      { taskId, box, findAll: false },
    ];
    const request = CreateJobRequest.parse({ type: "image", tasks: [taskId], regions });
    const place = { box: [1, 2, 3, 4] };
    const definition = define(request);
    if (definition.type !== "image") return expect.fail("It is a job of a picture.");
    expect(regionsOfTask(definition, taskId)).toEqual([
      { index: 0, label: "cup", findAll: true, ...place },
      { index: 1, ...place },
    ]);
  });

  it("does not take an example that corrects a mask", () => {
    const [taskId = ""] = taskIds(1, "png");
    const refines = { jobId: "job_1", maskIndex: 0 };
    const regions = [{ taskId, box: [1, 2, 3, 4], findAll: true, refines }];
    const { error } = CreateJobRequest.safeParse({ type: "image", tasks: [taskId], regions });
    expect(error?.issues).toMatchObject([
      { path: ["regions", 0, "findAll"], message: "cannot be combined with refines" },
    ]);
  });

  it("names each requested format once, and no other", () => {
    const asked = { ...pictures(1), formats: ["yolo", "coco", "yolo"] } as const satisfies object;
    expect(define(CreateJobRequest.parse(asked))).toMatchObject({ formats: ["yolo", "coco"] });
    expect(define(clip({ formats: ["coco"] }))).toMatchObject({ formats: ["coco"] });
    for (const formats of [[], undefined]) expect(define(clip({ formats }))).not.toHaveProperty("formats");
  });

  it("has no prompts if the account asked by regions alone", () => {
    const { prompts: _, ...rest } = pictures(1);
    const [taskId] = rest.tasks;
    const asked = CreateJobRequest.parse({ ...rest, regions: [{ taskId, box: [1, 2, 3, 4] }] });
    expect(define(asked)).toMatchObject({
      prompts: [],
      regions: [{ taskId, box: [1, 2, 3, 4] }],
    });
  });

  it("has a region's label and points as requested, and no label without one", () => {
    const { prompts: _, ...rest } = pictures(1);
    const [taskId] = rest.tasks;
    const points = [{ x: 3, y: 4, label: 1 }];
    const regions = [
      { taskId, points, label: "cup" },
      { taskId, points },
    ];
    expect(define(CreateJobRequest.parse({ ...rest, regions })).regions).toStrictEqual(regions);
  });

  it("has where and when each object of a video is, from its start if no time is given", () => {
    const [taskId] = taskIds(1, "mp4");
    const regions = [
      { taskId, box: [1, 2, 3, 4] },
      { taskId, box: [1, 2, 3, 4], timeSeconds: 1.5, objectId: 7, label: "camel" },
    ];
    const box = [1, 2, 3, 4] as const;
    const followed = define(clip({ prompts: undefined, regions }));
    expect(followed).toMatchObject({ prompts: [] });
    expect(followed.regions).toStrictEqual([
      { taskId, box, timeSeconds: 0 },
      { taskId, box, timeSeconds: 1.5, objectId: 7, label: "camel" },
    ]);
    expect(define(clip())).not.toHaveProperty("regions");
  });

  it("costs nothing if it only refines masks of pictures with free refinements left", () => {
    const { prompts, ...rest } = pictures(1);
    const [taskId] = rest.tasks;
    const drawn = { taskId, box: [1, 2, 3, 4] };
    const refining = { ...drawn, refines: { jobId: "job_0", maskIndex: 0 } };
    const isFree = (asked: object, hasFreeRefinements?: boolean): boolean =>
      "free" in define(CreateJobRequest.parse({ ...rest, ...asked }), hasFreeRefinements);
    expect(define(CreateJobRequest.parse({ ...rest, regions: [refining, refining] }), true)).toMatchObject({
      free: true,
    });
    for (const left of [false, undefined]) expect(isFree({ regions: [refining] }, left)).toBe(false);
    expect(isFree({ regions: [refining, drawn] }, true)).toBe(false);
    expect(isFree({ prompts, regions: [refining] }, true)).toBe(false);
    expect(isFree({ prompts }, true)).toBe(false);
  });

  it("is single with one picture, batch with several, and video with a video", () => {
    const modes = [pictures(1), pictures(2), pictures(100), clip()].map(
      (request) => define(request).processingMode,
    );
    expect(modes).toEqual(["single", "batch", "batch", "video"]);
  });

  it("has the lane of its account and size: a trial's jobs use the trial lane", () => {
    const trial = { accountId: "acct_1", accessMode: "trial" } as const;
    expect(define(pictures(1)).lane).toBe("interactive");
    expect(defineJob(trial, pictures(1), "job_1", BEGIN).lane).toBe("trial");
  });
});

const TASKS = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000.png`);

const coordinate = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const side = fc.double({ min: 1, max: 1e6, noNaN: true });
const point = fc.record({ x: coordinate, y: coordinate, label: fc.constantFrom(0, 1) });
const where = fc.oneof(
  fc.tuple(coordinate, coordinate, side, side).map((box) => ({ box })),
  fc.array(point, { maxLength: 19 }).map((others) => ({ points: [{ x: 0, y: 0, label: 1 }, ...others] })),
);
const anyRegions = fc.array(
  fc.tuple(fc.constantFrom(...TASKS), where).map(([taskId, of]) => ({ taskId, ...of })),
  { minLength: 1, maxLength: 50 },
);

it("each task gets its own regions in the request's order, each with its index among all of the job's [A5-2]", () => {
  fc.assert(
    fc.property(anyRegions, (asked) => {
      const request = CreateJobRequest.parse({
        type: "image",
        prompts: ["cat"],
        tasks: TASKS,
        regions: asked,
      });
      const job = defineJob({ accountId: "acct_1", accessMode: "paid" }, request, "job_1", 1);
      if (job.type !== "image") throw new Error("the job is of pictures");
      const given = TASKS.flatMap((taskId) =>
        regionsOfTask(job, taskId).map((region) => ({ taskId, region: TaskRegion.parse(region) })),
      );
      const expected = asked.map(({ taskId, ...place }, index) => ({ taskId, region: { index, ...place } }));
      expect(given.toSorted((a, b) => a.region.index - b.region.index)).toEqual(expected);
      for (const taskId of TASKS) {
        const indices = regionsOfTask(job, taskId).map(({ index }) => index);
        expect(indices).toEqual(indices.toSorted((a, b) => a - b));
      }
    }),
  );
});

it("a job without regions stores none, as older jobs do", () => {
  const request = CreateJobRequest.parse({ type: "image", prompts: ["cat"], tasks: TASKS });
  const job = defineJob({ accountId: "acct_1", accessMode: "paid" }, request, "job_1", 1);
  expect(job).not.toHaveProperty("regions");
  expect(job.type === "image" && regionsOfTask(job, TASKS[0] ?? "")).toEqual([]);
});

describe("the regions of a stored job", () => {
  const box = [1, 2, 3, 4] as const;

  it("that refine give their task the masks, each under its region's index among all of the job's", () => {
    const regions = [
      { taskId: "a", box },
      { taskId: "a", box, prior: "outputs/1.png" },
      { taskId: "b", box, prior: "outputs/2.png" },
      { taskId: "a", box, prior: "outputs/3.png" },
    ];
    const job = imageJob(["a", "b"], { regions });
    expect(priorsOfTask(job, "a")).toEqual([
      { regionIndex: 1, prior: "outputs/1.png" },
      { regionIndex: 3, prior: "outputs/3.png" },
    ]);
    expect(priorsOfTask(job, "b")).toEqual([{ regionIndex: 2, prior: "outputs/2.png" }]);
    expect(priorsOfTask(imageJob(["a"]), "a")).toEqual([]);
  });

  it("of a video go to its task each with its index, without the task's name", () => {
    const regions = [
      { taskId: "clip", box, timeSeconds: 0 },
      { taskId: "clip", box, timeSeconds: 1.5, objectId: 7, label: "camel" },
    ];
    expect(clipRegionsOf(regions)).toEqual([
      { index: 0, box, timeSeconds: 0 },
      { index: 1, box, timeSeconds: 1.5, objectId: 7, label: "camel" },
    ]);
  });

  it("are categories behind the prompts, each name once; without regions, the prompts are all", () => {
    const prompts = ["dog"];
    const place = { taskId: "clip", box, timeSeconds: 0 };
    const regions = [{ ...place, label: "camel" }, place, { ...place, label: "dog" }];
    const namesOf = (job: Parameters<typeof categoriesOfJob>[0]) =>
      categoriesOfJob(job).map(({ name }) => name);
    expect(namesOf(videoJob({ prompts, regions }))).toEqual(["dog", "camel", "region"]);
    expect(namesOf(videoJob({ prompts }))).toEqual(["dog"]);
  });
});
