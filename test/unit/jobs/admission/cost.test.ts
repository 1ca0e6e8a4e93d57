import { describe, expect, it } from "vitest";
import { problemOf, type TaskOutput } from "@segmentation/protocol";
import { jobCost } from "../../../../src/jobs/rules/cost.ts";
import { mostFilesOfTask } from "../../../../src/jobs/rules/task-outputs.ts";
import type { ImageJobDefinition, JobState, TaskRecord } from "../../../../src/jobs/rules/state.ts";
import { accepted, imageJob, SINGLE_FILES, videoJob } from "../../../support/a-job.ts";

const PICTURE = imageJob(["a.png", "b.png", "c.png", "d.png", "e.png"]);

const picture = (masks: number): TaskOutput => ({
  type: "image",
  units: 1,
  generatedAt: "2026-01-02T03:04:05.678Z",
  masks: Array.from({ length: masks }, (_, maskIndex) => ({
    maskIndex,
    promptIndex: 0,
    confidence: 0.5,
    file: `masks/${maskIndex}.png`,
  })),
  preview: "preview.png",
  notice: null,
});

/** The job with each task changed. */
const withTasks = (...changes: Partial<TaskRecord>[]): JobState => {
  const job = accepted(PICTURE);
  return { ...job, tasks: job.tasks.map((task, i) => ({ ...task, ...changes[i] })) };
};

describe("the cost of a job of pictures", () => {
  it("has the units and files of the successful tasks, and all that a task may have written that was canceled in progress", () => {
    const failed = { at: "failed", lease: null } as const;
    const job = withTasks(
      { step: { at: "success", lease: 1 }, started: true },
      { step: failed, started: true, problem: problemOf("canceled"), attempts: 2 },
      { step: failed, started: true, problem: problemOf("canceled"), attempts: 1 },
      { step: failed, problem: problemOf("canceled") },
      { step: failed, started: true, problem: problemOf("attempts_exhausted"), attempts: 3 },
    );
    expect(jobCost(job, () => picture(7))).toEqual({
      usedUnits: 1,
      processedUnits: 1,
      files: 8 + 2 * mostFilesOfTask(PICTURE),
    });
  });
});

it("a free job is charged nothing, and its files count", () => {
  const job = accepted(imageJob(["a.png"], { free: true }));
  const ended = job.tasks.map((task) =>
    Object.assign(task, { step: { at: "success", lease: 1 }, started: true }),
  );
  expect(jobCost({ ...job, tasks: ended }, () => picture(7))).toEqual({
    usedUnits: 0,
    processedUnits: 0,
    files: 8,
  });
});

describe("the cost of a video", () => {
  const costOf = (task: Partial<TaskRecord>) => {
    const job = accepted(videoJob());
    return jobCost({ ...job, tasks: job.tasks.map((one) => ({ ...one, ...task })) }, () => null);
  };

  it("has the reported frames of every attempt, at least one each", () => {
    const failed = { step: { at: "failed", lease: null }, started: true, attempts: 2 } as const;
    const progress = { lease: 2, done: 30, total: 60 };
    expect(costOf({ ...failed, spent: 12, progress })).toMatchObject({ usedUnits: 0, processedUnits: 42 });
    expect(costOf(failed)).toMatchObject({ usedUnits: 0, processedUnits: 2 });
    expect(costOf({ ...failed, started: false })).toMatchObject({ processedUnits: 0 });
  });
});

describe("the files that a picture may have", () => {
  const most = (changes: Partial<ImageJobDefinition>): number => mostFilesOfTask({ ...PICTURE, ...changes });
  const prompts = Array.from({ length: 32 }, (_, i) => `thing ${i}`);

  it("are a mask and a cut-out for each object, and one of each other output", () => {
    expect(most({})).toBe(200 + SINGLE_FILES);
    expect(most({ formats: ["cutout"] })).toBe(400 + SINGLE_FILES);
    expect(most({ taskIds: ["a.png"], prompts, formats: ["cutout", "coco"] })).toBe(12_800 + SINGLE_FILES);
  });

  it("are one more for each region, without fewer masks for prompts", () => {
    const place = { taskId: "a.png", box: [1, 2, 3, 4] as const };
    expect(most({ regions: [place, place, place] })).toBe(203 + SINGLE_FILES);
  });

  it("are fewer in a job of many, which has hardly more than 30,000", () => {
    const taskIds = Array.from({ length: 100 }, (_, i) => `${i}.png`);
    expect(100 * most({ taskIds, prompts })).toBe(30_000 + 100 * SINGLE_FILES);
    expect(100 * most({ taskIds, prompts, formats: ["cutout"] })).toBe(30_000 + 100 * SINGLE_FILES);
  });
});

it("a video may have three files: its masks, its preview and its annotations", () => {
  expect(mostFilesOfTask(videoJob())).toBe(3);
});
