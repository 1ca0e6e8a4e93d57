import fc from "fast-check";
import { expect, it } from "vitest";
import { CreateJobRequest } from "../../../../src/contract/job.ts";
import { defineJob } from "../../../../src/core/jobs/define.ts";
import { regionsOfTask } from "../../../../src/core/jobs/task-regions.ts";
import { TaskRegion } from "@segmentation/protocol";

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
