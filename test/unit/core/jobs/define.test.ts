import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../../src/contract/job.ts";
import { defineJob, regionsOfTask } from "../../../../src/core/jobs/define.ts";
import { BEGIN } from "./a-job.ts";
import fc from "fast-check";
import { TaskRegion } from "@segmentation/protocol";

const uploads = (count: number, extension: string): string[] =>
  Array.from(
    { length: count },
    (_, i) => `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000.${extension}`,
  );

const pictures = (count: number): CreateJobRequest =>
  CreateJobRequest.parse({
    type: "image",
    prompts: ["cat", "chair"],
    tasks: uploads(count, "png"),
    generatePreview: true,
    threshold: 0.4,
    maskThreshold: 0.6,
  });
const clip = (changes: object = {}): CreateJobRequest =>
  CreateJobRequest.parse({ type: "video", prompts: ["dog"], tasks: uploads(1, "mp4"), ...changes });

const define = (request: CreateJobRequest) =>
  defineJob({ accountId: "acct_1", accessMode: "paid" }, request, "job_1", BEGIN);

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
      taskIds: uploads(2, "png"),
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
      taskIds: uploads(1, "mp4"),
      createdAt: BEGIN,
    });
    expect(define(clip({ numFrames: 10 }))).toMatchObject({ fps: null, numFrames: 10, maxFrames: null });
  });

  it("names each format once that its account asked for, and none where it asked for none", () => {
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
      regions: [{ taskId, box: { x: 1, y: 2, width: 3, height: 4 } }],
    });
  });

  it("is single with one picture, batch with several, and video with a video", () => {
    const modes = [pictures(1), pictures(2), pictures(100), clip()].map(
      (request) => define(request).processingMode,
    );
    expect(modes).toEqual(["single", "batch", "batch", "video"]);
  });

  it("has the lane of who asks and of how much: a trial's jobs go through the trial lane", () => {
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
const regions = fc.array(
  fc.tuple(fc.constantFrom(...TASKS), where).map(([taskId, of]) => ({ taskId, ...of })),
  { minLength: 1, maxLength: 50 },
);

it("each task gets its own regions in the request's order, each with its index among all of the job's [A5-2]", () => {
  fc.assert(
    fc.property(regions, (asked) => {
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
      const expected = asked.map((one, index) => {
        const [x, y, width, height] = "box" in one ? one.box : [];
        const region = "box" in one ? { index, box: { x, y, width, height } } : { index, points: one.points };
        return { taskId: one.taskId, region };
      });
      expect(given.toSorted((a, b) => a.region.index - b.region.index)).toEqual(expected);
      for (const taskId of TASKS) {
        const indices = regionsOfTask(job, taskId).map(({ index }) => index);
        expect(indices).toEqual(indices.toSorted((a, b) => a - b));
      }
    }),
  );
});

it("a job without regions has none, as those that were stored before there were any", () => {
  const request = CreateJobRequest.parse({ type: "image", prompts: ["cat"], tasks: TASKS });
  const job = defineJob({ accountId: "acct_1", accessMode: "paid" }, request, "job_1", 1);
  expect(job).not.toHaveProperty("regions");
  expect(job.type === "image" && regionsOfTask(job, TASKS[0] ?? "")).toEqual([]);
});
