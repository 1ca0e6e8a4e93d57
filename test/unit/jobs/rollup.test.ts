import { describe, expect, it } from "vitest";
import type { Status } from "../../../src/shared/api/primitives.ts";
import {
  archiveView,
  askedOf,
  jobError,
  jobStatus,
  jobView,
  taskStatus,
  jobReport,
} from "../../../src/jobs/rules/rollup.ts";
import type { ArchiveRecord, TaskRecord, JobState } from "../../../src/jobs/rules/state.ts";
import {
  accepted,
  BEGIN,
  imageJob,
  videoJob,
  ended,
  failure,
  SECOND,
  successfulJob,
} from "../../support/a-job.ts";
import { policy } from "../../support/job-policy.ts";
import { claimTask, takeDueTasks } from "../../../src/jobs/rules/tasks.ts";
import { requestArchive } from "../../../src/jobs/rules/archive.ts";

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

  it.each([true, false])("is its outcome once it has ended, even if it never began: %s", (started) => {
    expect(taskStatus(task("success", { started }))).toBe("success");
    expect(taskStatus(task("failed", { started }))).toBe("failed");
  });
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

  it("is its task's error if it has one task", () => {
    expect(jobError([failed])).toBe("not_an_image: The bytes are of no picture.");
    expect(jobError([{ ...failed, problem: null }])).toBeNull();
  });

  it("says that all failed if it has several tasks", () => {
    expect(jobError([failed, failed, failed])).toMatch(/^all_tasks_failed: .*\b3\b/);
  });

  it("is absent unless the job failed", () => {
    expect(jobError([failed, success])).toBeNull();
    expect(jobError([failed, queued])).toBeNull();
    expect(jobError([{ ...success, problem: NO_IMAGE }])).toBeNull();
  });
});

describe("a job as its account sees it", () => {
  it("has the request, its status, its times, and each task's status and error", () => {
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

  it("has an error when it failed", () => {
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

  it("names the first job of its uploads if it adds to one", () => {
    const adds = accepted(imageJob(["a"], { continues: "job_0" }));
    expect(jobView(adds).continues).toBe("job_0");
    expect(jobView(accepted(imageJob(["a"])))).not.toHaveProperty("continues");
  });
});

describe("a job's request", () => {
  const place = { taskId: "a", box: [1, 2, 3, 4] as const };
  const refines = { jobId: "job_0", maskIndex: 2 };
  const prompts = ["cat", "chair"];
  const drawn = [place, { ...place, prior: "outputs/1.png", refines }];
  const followed = [{ ...place, timeSeconds: 0 }];

  it.each<[string, JobState["definition"], object]>([
    ["its prompts", imageJob(["a"], { prompts }), { prompts }],
    ["the masks that it refines", imageJob(["a"], { prompts: [], regions: drawn }), { refines: [refines] }],
    ["both", imageJob(["a"], { prompts, regions: drawn }), { prompts, refines: [refines] }],
    ["neither, of regions alone", imageJob(["a"], { prompts: [], regions: [place] }), {}],
    ["the prompts of a video", videoJob({ prompts, regions: followed }), { prompts }],
  ])("is %s", (_, definition, asked) => {
    expect(askedOf(accepted(definition))).toEqual(asked);
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
  ])("says when to ask again, when it expires, or why there is none: it %s", (_, record, expected) => {
    const nothing = { expiresAt: null, retryAfterSeconds: null, error: null };
    expect(archiveView("job_1", record)).toEqual({ jobId: "job_1", ...nothing, ...expected });
  });
});

describe("the operator's view of a job", () => {
  it("shows each task's state, deadline, holder, and reason of the last retry", () => {
    const prompts = ["a secret wish"];
    let job = ended(accepted(imageJob(["a", "b", "c"], { prompts })), "a", failure(true));
    job = claimTask(job, "b", policy, BEGIN).state;
    job = takeDueTasks(job, policy, BEGIN).state;
    const report = jobReport(job, BEGIN + SECOND, { waits: 3, streams: 2 });
    expect(report).toMatchObject({
      jobId: "job_1",
      accountId: "acct_1",
      type: "image",
      lane: "bulk",
      phase: "running",
      status: "processing",
      error: null,
      createdAt: BEGIN,
      updatedAt: job.updatedAt,
      version: job.version,
      projected: job.projected,
      unlistedAt: null,
      alarmAt: BEGIN + SECOND,
      waits: 3,
      streams: 2,
      archive: null,
    });
    const untouched = { status: "queued", attempts: 0, refusals: 0, failedAt: null, problem: null };
    expect(report.tasks).toEqual([
      {
        ...untouched,
        taskId: "a",
        status: "processing",
        at: "waiting",
        lease: null,
        until: BEGIN + 2 * SECOND,
        attempts: 1,
        sends: 0,
        failedAt: BEGIN,
        problem: "engine_crashed",
      },
      {
        ...untouched,
        taskId: "b",
        at: "leased",
        lease: 2,
        until: BEGIN + 60 * SECOND,
        attempts: 1,
        sends: 0,
      },
      { ...untouched, taskId: "c", at: "sent", lease: null, until: BEGIN + 30 * SECOND, sends: 1 },
    ]);
    expect(JSON.stringify(report)).not.toContain("wish");
  });

  it("is where its archive is, and nothing to wait for if it has ended", () => {
    const { state } = requestArchive(successfulJob(), BEGIN);
    const { tasks, archive } = jobReport(state, null, { waits: 0, streams: 0 });
    expect(archive).toEqual({ at: "waiting", lease: null, until: BEGIN, attempts: 0 });
    expect(tasks).toMatchObject([{ status: "success", at: "success", lease: 1, until: null }]);
  });
});
