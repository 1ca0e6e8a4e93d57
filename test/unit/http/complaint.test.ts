import { describe, expect, it } from "vitest";
import { CreateJobRequest, ListJobsQuery } from "../../../src/jobs/contract/job.ts";
import { complaint } from "../../../src/http/complaint.ts";

const TASK = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.png";
const OTHER = "4d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.png";

describe("the complaint about a request", () => {
  it.each([
    [null, "The body must be an object"],
    [[], "The body must be an object"],
    ["image", "The body must be an object"],
    [{}, "type: must be one of image, video"],
    [{ type: "audio" }, "type: must be one of image, video"],
    [{ type: "image" }, "prompts: is missing; tasks: is missing"],
    [
      { type: "image", prompts: [], tasks: [] },
      "prompts: must have at least 1 item; tasks: must have at least 1 item",
    ],
    [{ type: "image", prompts: [""], tasks: [TASK] }, "prompts[0]: must have at least 1 character"],
    [{ type: "image", prompts: "cat", tasks: [TASK] }, "prompts: must be an array"],
    [{ type: "image", prompts: ["a"], tasks: [TASK], threshold: 1.1 }, "threshold: must be at most 1"],
    [
      { type: "image", prompts: ["a"], tasks: [TASK], threshold: null, formats: null },
      "threshold: must be a number, not null: leave it out if it is not set; formats: must be an array, not null: leave it out if it is not set",
    ],
    [
      { type: null, prompts: ["a"], tasks: [TASK] },
      "type: must be one of image, video, not null: leave it out if it is not set",
    ],
    [{ type: "image", prompts: ["a"], tasks: [null] }, "tasks[0]: must be a string"],
    [
      { type: "image", tasks: [TASK, OTHER], regions: [{ taskId: TASK, box: [0, 0, 9, 9] }] },
      "tasks[1]: has no region; without prompts, each task needs one",
    ],
    [
      { type: "image", prompts: ["a"], tasks: [TASK], regions: [{ taskId: OTHER, box: [0, 0, 9, 9] }] },
      "regions[0].taskId: is not one of the job's tasks",
    ],
    [
      { type: "image", tasks: [TASK], regions: [{ taskId: TASK, box: [0, 0, 0.5, 9] }] },
      "regions[0].box[2]: must be at least 1",
    ],
    [
      { type: "image", tasks: [TASK], regions: [{ taskId: TASK, points: [{ x: 1, y: 1, label: 0 }] }] },
      "regions[0].points: must have at least one point with label 1, on the object",
    ],
    [
      { type: "image", tasks: [TASK], regions: [{ taskId: TASK, points: [{ x: 1, y: 1, label: 2 }] }] },
      "regions[0].points[0].label: must be one of 1, 0",
    ],
    [
      { type: "image", tasks: [TASK], regions: [{ taskId: TASK }] },
      "regions[0]: must have either box or points",
    ],
    [
      {
        type: "video",
        tasks: [TASK],
        regions: Array.from({ length: 11 }, () => ({ taskId: TASK, box: [0, 0, 9, 9] })),
      },
      "regions: must have at most 10 objects; give regions of the same object the same objectId",
    ],
    [{ type: "video", prompts: ["a"], tasks: [TASK, TASK] }, "tasks: must have exactly 1 item"],
    [{ type: "video", prompts: ["a"], tasks: [TASK], fps: 0 }, "fps: must be greater than 0"],
    [{ type: "video", prompts: ["a"], tasks: [TASK], maxFrames: 1.5 }, "maxFrames: must be a whole number"],
    [
      { type: "video", prompts: ["a"], tasks: [TASK], threshold: 0.5 },
      "threshold does not belong to a video job",
    ],
    [
      { type: "image", prompts: ["a"], tasks: [TASK], fps: 1, "a key": 2 },
      'fps does not belong to an image job; "a key" does not belong to an image job',
    ],
    [
      { type: "image", prompts: [], tasks: [], threshold: "1", fps: 1, x: 1 },
      "prompts: must have at least 1 item; tasks: must have at least 1 item; threshold: must be a number; and 2 more fields are wrong",
    ],
  ])("%j: %s [7-16]", (body, message) => {
    expect(complaint(CreateJobRequest, body, "json")).toBe(`${message}.`);
  });

  it("names a repeated query parameter", () => {
    const query = { limit: "101", mode: ["single", "batch"] };
    expect(complaint(ListJobsQuery, query, "query")).toBe(
      "limit: must be at most 100; mode: appears more than once.",
    );
  });

  it.each([37, 38, 39, 40])("is well-formed for any cut of the request's words: %i", (length) => {
    const key = `${"k".repeat(length)}${"😀".repeat(20)}`;
    const said = complaint(CreateJobRequest, { type: "image", [key]: 1 }, "json");
    expect(said).toMatch(/k…?😀*…"/u);
    expect(said).not.toMatch(/\\ud83d/i);
  });

  it("is short for any length of the request's words", () => {
    const long = "x".repeat(200_000);
    for (const body of [{ type: long }, { type: "image", [long]: 1 }, { type: "image", tasks: [long] }]) {
      expect(complaint(CreateJobRequest, body, "json").length).toBeLessThan(300);
    }
  });
});
