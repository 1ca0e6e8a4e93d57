import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  claimTask,
  completeTask,
  extendTask,
  releaseTask,
  startTask,
  takeDueTasks,
  tickTasks,
} from "../../../src/jobs/rules/tasks.ts";
import { policy } from "../../support/job-policy.ts";
import { jobError, jobStatus, taskStatus } from "../../../src/jobs/rules/rollup.ts";
import type { JobState } from "../../../src/jobs/rules/state.ts";
import type { Completion } from "@segmentation/protocol";
import {
  accepted,
  BEGIN,
  CRASHED,
  DAY,
  ended,
  failure,
  HOUR,
  IMAGE_OUTPUT,
  imageJob,
  SECOND,
  SUCCESS,
  taskOf,
  videoJob,
} from "../../support/a-job.ts";
import { batchOf } from "../../support/any-event.ts";

const one = (): JobState => accepted(imageJob(["a"]));
const claimed = (state: JobState): JobState => claimTask(state, "a", policy, BEGIN).state;

describe("a video that is broken off again and again", () => {
  /** Returns the video after attempts that each process this many of its thousand frames before their lease ends. */
  const after = (...frames: readonly number[]): JobState => {
    let [state, now] = [accepted(videoJob()), BEGIN];
    for (const done of frames) {
      now += HOUR;
      const held = claimTask(state, "clip", policy, now).state;
      const report = { done, total: 1_000 };
      state = extendTask(held, "clip", held.lastLease, report, policy, now).state;
      now += HOUR;
      state = tickTasks(state, policy, now);
    }
    return state;
  };

  it("is tried again as long as each attempt gets further than those before, by a tenth of it", () => {
    expect(taskOf(after(150, 300, 450, 600, 750, 900)).step.at).toBe("waiting");
  });

  it("counts exactly a tenth as progress", () => {
    expect(taskOf(after(50, 50, 100)).step.at).toBe("waiting");
    expect(taskOf(after(50, 50, 99)).step.at).toBe("failed");
  });

  it("still counts the frames of the attempts before", () => {
    const again = claimTask(after(150, 300), "clip", policy, BEGIN + 5 * HOUR).state;
    expect(taskOf(again).spent).toBe(450);
  });

  it("fails after three attempts without more progress", () => {
    expect(taskOf(after(900, 900, 950)).step.at).toBe("failed");
    expect(taskOf(after(150, 300, 250, 300)).step.at).toBe("failed");
  });

  it("has at most thirty attempts and three", () => {
    const attempts = fc.array(fc.nat({ max: 1_000 }), { minLength: 33, maxLength: 60 });
    fc.assert(fc.property(attempts, (frames) => taskOf(after(...frames)).step.at === "failed"));
  });
});

describe("a consumer", () => {
  it("takes a task for a minute, with the job's next fencing token", () => {
    const { state, taken } = claimTask(accepted(imageJob(["a", "b"])), "b", policy, BEGIN);
    expect(taken).toBe(true);
    expect(state.lastLease).toBe(1);
    expect(taskOf(state, "b").step).toEqual({ at: "leased", lease: 1, deadline: BEGIN + 60 * SECOND });
    expect(taskOf(state, "a").step.at).toBe("waiting");
  });

  it.each<[string, () => JobState, string]>([
    ["another holds", () => claimed(one()), "a"],
    ["has ended", () => ended(one(), "a", SUCCESS), "a"],
    ["is not the job's", () => one(), "b"],
    ["belongs to a job that was not accepted", () => ({ ...one(), phase: "prepared" }), "a"],
    ["belongs to a withdrawn job", () => ({ ...one(), phase: "withdrawn" }), "a"],
    ["belongs to an expired job", () => ({ ...one(), phase: "expired" }), "a"],
  ])("takes no task that %s", (_, make, taskId) => {
    const state = make();
    expect(claimTask(state, taskId, policy, BEGIN)).toEqual({ state, taken: false });
  });

  it.each(["withdrawn", "expired"] as const)("holds nothing of a job that is %s", (phase) => {
    const state: JobState = { ...claimed(one()), phase };
    const now = BEGIN + SECOND;
    const report = { done: 0, total: 1 };
    expect(extendTask(state, "a", 1, report, policy, now)).toEqual({ state, taken: false });
    expect(completeTask(state, "a", 1, SUCCESS, policy, now)).toEqual({
      state,
      report: { reported: "lease_lost" },
    });
    const succeeded: JobState = { ...ended(one(), "a", SUCCESS), phase };
    expect(completeTask(succeeded, "a", 1, SUCCESS, policy, now).report).toEqual({ reported: "lease_lost" });
  });
});

describe("a task's holder", () => {
  it("names the pool that took it, if there are pools", () => {
    const of = (pool: string | null) =>
      startTask(claimed(one()), "a", 1, BEGIN + SECOND, pool).state.tasks[0] ?? expect.fail();
    expect(of("gpu")).toMatchObject({ started: true, pool: "gpu" });
    expect(of(null)).not.toHaveProperty("pool");
  });

  it("makes it processing once the inference service took it", () => {
    const { state, taken } = startTask(claimed(one()), "a", 1, BEGIN + SECOND);
    expect(taken).toBe(true);
    expect(taskStatus(taskOf(state))).toBe("processing");
  });

  it("keeps its lease by reporting progress, which also shows that the service took it", () => {
    const report = { done: 3, total: 10 };
    const { state, taken } = extendTask(claimed(one()), "a", 1, report, policy, BEGIN + 50 * SECOND);
    expect(taken).toBe(true);
    expect(taskOf(state)).toMatchObject({
      step: { at: "leased", lease: 1, deadline: BEGIN + 110 * SECOND },
      progress: { lease: 1, done: 3, total: 10 },
      started: true,
    });
  });

  it("hands it back if there is no room, burning no attempt: it is asked again after the delay, still queued", () => {
    const { state, taken } = releaseTask(claimed(one()), "a", 1, 2_000, 0, BEGIN);
    expect(taken).toBe(true);
    expect(taskOf(state)).toMatchObject({ step: { at: "waiting", notBefore: BEGIN + 2_000 }, attempts: 0 });
    expect(jobStatus(state.tasks)).toBe("queued");
  });

  it("ends it in success, with what could not be served", () => {
    const notice = { code: "prompt_outside_vocabulary", message: "The model can't look for a unicorn." };
    const completion: Completion = { outcome: "success", output: { ...IMAGE_OUTPUT, notice } };
    const { state, report } = completeTask(claimed(one()), "a", 1, completion, policy, BEGIN + SECOND);
    expect(report).toEqual({ reported: "ended" });
    expect(taskOf(state)).toMatchObject({
      step: { at: "success", lease: 1 },
      problem: notice,
      started: true,
    });
  });

  it("ends it in failure, with the reason, if no other attempt can succeed", () => {
    const { state, report } = completeTask(claimed(one()), "a", 1, failure(false), policy, BEGIN);
    expect(report).toEqual({ reported: "ended" });
    expect(taskOf(state)).toMatchObject({
      step: { at: "failed", lease: 1 },
      problem: CRASHED,
      started: true,
    });
  });

  it("may fail three times: the task waits longer each time, then fails with the last one's reason", () => {
    const once = ended(one(), "a", failure(true));
    expect(taskOf(once)).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + 2 * SECOND },
      attempts: 1,
      failedAt: BEGIN,
      problem: CRASHED,
    });
    const twice = ended(once, "a", failure(true));
    expect(taskOf(twice)).toMatchObject({ step: { at: "waiting", notBefore: BEGIN + 4 * SECOND } });
    const thrice = ended(twice, "a", failure(true));
    expect(taskOf(thrice)).toMatchObject({ step: { at: "failed", lease: 3 }, problem: CRASHED });
  });

  it("gives it back when the service stops before it was done: no attempt is burned, and its patience begins again", () => {
    const { state, report } = completeTask(
      claimed(one()),
      "a",
      1,
      { outcome: "returned" },
      policy,
      BEGIN + HOUR,
    );
    expect(report).toEqual({ reported: "ended" });
    expect(taskOf(state)).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + HOUR + SECOND },
      attempts: 0,
      failedAt: BEGIN + HOUR,
    });
    expect(taskStatus(taskOf(state))).toBe("processing");
  });

  it.each([
    ["success", SUCCESS],
    ["failure", failure(false)],
  ])("may repeat what ended it, to no effect: %s", (_, completion) => {
    const state = ended(one(), "a", completion);
    expect(completeTask(state, "a", 1, completion, policy, BEGIN + SECOND)).toEqual({
      state,
      report: { reported: "repeated" },
    });
  });

  it.each<[string, () => JobState]>([
    ["another holds", () => ended(one(), "a", { outcome: "returned" })],
    ["another ended in success", () => ended(ended(one(), "a", failure(true)), "a", SUCCESS)],
    ["another ended in failure", () => ended(ended(one(), "a", failure(true)), "a", failure(false))],
    ["is not the job's", () => accepted(imageJob(["b"]))],
  ])("has lost its lease of a task that %s", (_, make) => {
    const state = make();
    const lost = { state, taken: false };
    expect(completeTask(state, "a", 1, SUCCESS, policy, BEGIN)).toEqual({
      state,
      report: { reported: "lease_lost" },
    });
    expect(startTask(state, "a", 1, BEGIN)).toEqual(lost);
    expect(releaseTask(state, "a", 1, 0, 0, BEGIN)).toEqual(lost);
    expect(extendTask(state, "a", 1, { done: 1, total: 1 }, policy, BEGIN)).toEqual(lost);
  });

  it("keeps the lease when its report has outputs that the task can't have", () => {
    const state = claimed(accepted(videoJob({ taskIds: ["a"] })));
    const refused = completeTask(state, "a", 1, SUCCESS, policy, BEGIN + SECOND);
    expect(refused.state).toBe(state);
    expect(refused.report).toEqual({
      reported: "refused",
      reason: "A job of type video has no output of type image.",
    });
  });

  it("learns of its lost lease first, with any report", () => {
    const state = accepted(videoJob({ taskIds: ["a"] }));
    expect(completeTask(state, "a", 1, SUCCESS, policy, BEGIN).report).toEqual({ reported: "lease_lost" });
  });
});

describe("time", () => {
  it("takes a task from a holder that is silent for a minute: a failed attempt", () => {
    const state = claimed(one());
    expect(tickTasks(state, policy, BEGIN + 60 * SECOND - 1)).toBe(state);
    expect(taskOf(tickTasks(state, policy, BEGIN + 60 * SECOND))).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + 62 * SECOND },
      attempts: 1,
      failedAt: BEGIN + 60 * SECOND,
    });
  });

  it("fails a task after its third silent holder, with an earlier reason if there is one", () => {
    const silent = (state: JobState) => tickTasks(claimed(state), policy, BEGIN + 60 * SECOND);
    expect(taskOf(silent(silent(silent(one()))))).toMatchObject({
      step: { at: "failed", lease: 3 },
      problem: { code: "attempts_exhausted", message: expect.stringMatching(/\.$/) },
    });
    expect(taskOf(silent(silent(ended(one(), "a", failure(true)))))).toMatchObject({
      step: { at: "failed", lease: 3 },
      problem: CRASHED,
    });
  });

  it("gives up a task for which there was no room for a day", () => {
    const state = takeDueTasks(one(), policy, BEGIN).state;
    expect(tickTasks(state, policy, BEGIN + DAY - 1)).toBe(state);
    const given = tickTasks(state, policy, BEGIN + DAY);
    expect(taskOf(given)).toMatchObject({
      step: { at: "failed", lease: null },
      problem: { code: "inference_unavailable" },
    });
    expect(jobError(given.tasks)).toMatch(/^inference_unavailable: .*Create a new job later\.$/);
  });

  it.each([
    ["in success", SUCCESS],
    ["in failure", failure(false)],
  ])("changes nothing of what has ended %s", (_, completion) => {
    const state = ended(one(), "a", completion);
    expect(tickTasks(state, policy, BEGIN + 3 * DAY)).toBe(state);
  });
});

describe("a job in the account's list", () => {
  it("has a new version and time when the job's status changes, and keeps them otherwise", () => {
    const held = claimTask(batchOf(2), "task-0", policy, BEGIN + 1).state;
    expect(held).toMatchObject({ version: 1, updatedAt: BEGIN });
    const begun = startTask(held, "task-0", 1, BEGIN + 2).state;
    expect(begun).toMatchObject({ version: 2, updatedAt: BEGIN + 2 });
    const half = ended(begun, "task-1", SUCCESS, BEGIN + 3);
    expect(half).toMatchObject({ version: 2, updatedAt: BEGIN + 2 });
    const whole = completeTask(half, "task-0", 1, SUCCESS, policy, BEGIN + 4).state;
    expect(whole).toMatchObject({ version: 3, updatedAt: BEGIN + 4 });
  });
});
