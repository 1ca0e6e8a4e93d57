import { describe, expect, it } from "vitest";
import type { Status } from "../../../../src/contract/primitives.ts";
import { archiveView, jobError, jobStatus, jobView, taskStatus } from "../../../../src/core/jobs/rollup.ts";
import type { ArchiveRecord, TaskRecord } from "../../../../src/core/jobs/state.ts";
import { accepted, BEGIN, imageJob } from "./a-job.ts";

const NO_IMAGE = { code: "not_an_image", message: "The bytes are of no picture." };

const STEPS = {
  waiting: { at: "waiting", notBefore: BEGIN },
  sent: { at: "sent", resendAt: BEGIN },
  leased: { at: "leased", lease: 1, deadline: BEGIN },
  success: { at: "success", lease: 1 },
  failed: { at: "failed", lease: 1 },
} as const;

const task = (at: keyof typeof STEPS, changes: Partial<TaskRecord> = {}): TaskRecord => ({
  taskId: "a",
  step: STEPS[at],
  attempts: 1,
  sends: 0,
  refusals: 0,
  started: false,
  problem: null,
  ...changes,
});

/** A task of each public status. */
const TASKS: Record<Status, TaskRecord> = {
  queued: task("sent"),
  processing: task("leased", { started: true }),
  success: task("success", { started: true }),
  failed: task("failed", { started: true, problem: NO_IMAGE }),
};

describe("a task's status", () => {
  it.each(["waiting", "sent", "leased"] as const)(
    "is queued until the inference service first took it, and processing from then on: %s",
    (at) => {
      expect(taskStatus(task(at))).toBe("queued");
      expect(taskStatus(task(at, { started: true }))).toBe("processing");
    },
  );

  it.each([true, false])(
    "is its end's once it has ended, whether it was ever begun or not: %s",
    (started) => {
      expect(taskStatus(task("success", { started }))).toBe("success");
      expect(taskStatus(task("failed", { started }))).toBe("failed");
    },
  );
});

describe("a job's status", () => {
  it.each<[Status, Status[]]>([
    ["queued", ["queued"]],
    ["queued", ["queued", "queued"]],
    ["processing", ["queued", "processing"]],
    ["processing", ["success", "queued"]],
    ["processing", ["failed", "queued"]],
    ["processing", ["success", "processing"]],
    ["success", ["success"]],
    ["success", ["success", "success"]],
    ["success", ["failed", "success"]],
    ["failed", ["failed"]],
    ["failed", ["failed", "failed"]],
  ])("is %s when its tasks are %s", (status, of) => {
    expect(jobStatus(of.map((each) => TASKS[each]))).toBe(status);
  });
});

describe("a job's error", () => {
  const { failed, success, queued } = TASKS;

  it("is its task's where it has but one", () => {
    expect(jobError([failed])).toBe("not_an_image: The bytes are of no picture.");
    expect(jobError([{ ...failed, problem: null }])).toBeNull();
  });

  it("is that all failed where it has several", () => {
    expect(jobError([failed, failed, failed])).toMatch(/^all_tasks_failed: .*\b3\b/);
  });

  it("is none unless the job failed", () => {
    expect(jobError([failed, success])).toBeNull();
    expect(jobError([failed, queued])).toBeNull();
    expect(jobError([{ ...success, problem: NO_IMAGE }])).toBeNull();
  });
});

describe("a job as its account sees it", () => {
  it("has what was asked for, its status, its times, and each task with its own status and error", () => {
    const state = accepted(imageJob(["a", "b", "c"]));
    const [a, b, c] = state.tasks;
    if (a === undefined || b === undefined || c === undefined) throw new Error("a task is lost");
    const notice = { code: "prompt_outside_vocabulary", message: "The model can't look for a unicorn." };
    const view = jobView({
      ...state,
      updatedAt: BEGIN + 2_500,
      tasks: [
        { ...a, step: STEPS.failed, problem: NO_IMAGE },
        { ...b, step: STEPS.success, problem: notice },
        // Its last attempt failed; another one follows.
        { ...c, step: STEPS.waiting, started: true, problem: NO_IMAGE },
      ],
    });
    expect(view).toEqual({
      jobId: "job_1",
      type: "image",
      processingMode: "batch",
      status: "processing",
      totalItems: 3,
      createdAt: "2027-01-15T08:00:00.000Z",
      updatedAt: "2027-01-15T08:00:02.500Z",
      error: null,
      tasks: [
        { taskId: "a", status: "failed", error: "not_an_image: The bytes are of no picture." },
        {
          taskId: "b",
          status: "success",
          error: "prompt_outside_vocabulary: The model can't look for a unicorn.",
        },
        { taskId: "c", status: "processing", error: null },
      ],
    });
  });

  it("has an error of its own when it failed", () => {
    const state = accepted(imageJob(["a"]));
    expect(jobView({ ...state, tasks: [TASKS.failed] })).toMatchObject({
      status: "failed",
      error: "not_an_image: The bytes are of no picture.",
    });
  });

  it("has no error of a task that failed without a reason", () => {
    const state = accepted(imageJob(["a"]));
    const { tasks } = jobView({ ...state, tasks: [task("failed")] });
    expect(tasks).toEqual([{ taskId: "a", status: "failed", error: null }]);
  });
});

describe("an archive as its account sees it", () => {
  const archive = (step: ArchiveRecord["step"], attempts = 0): ArchiveRecord => ({
    step,
    attempts,
    sends: 0,
    refusals: 0,
  });

  it.each<[string, ArchiveRecord, object]>([
    ["waits", archive(STEPS.waiting), { status: "pending", retryAfterSeconds: 2 }],
    ["is in the queue", archive(STEPS.sent), { status: "pending", retryAfterSeconds: 2 }],
    ["is being built", archive(STEPS.leased, 1), { status: "processing", retryAfterSeconds: 5 }],
    ["waits for its second try", archive(STEPS.waiting, 1), { status: "processing", retryAfterSeconds: 5 }],
    [
      "waits for its next message",
      { ...archive(STEPS.waiting), messages: 1 },
      { status: "processing", retryAfterSeconds: 5 },
    ],
    ["is in the queue for it", archive(STEPS.sent, 1), { status: "processing", retryAfterSeconds: 5 }],
    [
      "is ready",
      archive({ at: "ready", lease: 1, expiresAt: BEGIN }, 1),
      { status: "ready", expiresAt: "2027-01-15T08:00:00.000Z" },
    ],
    [
      "failed",
      archive({ at: "failed", message: "archive_failed: No." }, 3),
      { status: "failed", error: "archive_failed: No." },
    ],
  ])("says when to ask again, when it expires, or why there is none: it %s", (_, record, told) => {
    const nothing = { expiresAt: null, retryAfterSeconds: null, error: null };
    expect(archiveView("job_1", record)).toEqual({ jobId: "job_1", ...nothing, ...told });
  });
});
