import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cancelTasks,
  cancelUnbegun,
  claimTask,
  completeTask,
  extendTask,
  releaseTask,
  startTask,
  takeDueTasks,
  tickTasks,
  tasksSent,
} from "../../../src/jobs/rules/tasks.ts";
import { policy } from "../../support/job-policy.ts";
import { jobError, jobStatus, taskStatus } from "../../../src/jobs/rules/rollup.ts";
import { isDone, type JobState } from "../../../src/jobs/rules/state.ts";
import { nextWake } from "../../../src/jobs/rules/lifecycle.ts";
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

const batchOf = (tasks: number): JobState =>
  accepted(imageJob(Array.from({ length: tasks }, (_, i) => `task-${i}`)));

const one = (): JobState => accepted(imageJob(["a"]));
const claimed = (state: JobState, now = BEGIN): JobState => claimTask(state, "a", policy, now).state;

describe("a clip that is broken off again and again", () => {
  /** The clip after attempts that each process so many of its thousand frames before their lease ends. */
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

  it("has gotten further with the tenth itself", () => {
    expect(taskOf(after(50, 50, 100)).step.at).toBe("waiting");
    expect(taskOf(after(50, 50, 99)).step.at).toBe("failed");
  });

  it("still counts the frames of the attempts before", () => {
    const again = claimTask(after(150, 300), "clip", policy, BEGIN + 5 * HOUR).state;
    expect(taskOf(again).spent).toBe(450);
  });

  it("fails after three attempts that do not, however far they got", () => {
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
    ["is of a job that was not accepted", () => ({ ...one(), phase: "prepared" }), "a"],
    ["is of a job that was withdrawn", () => ({ ...one(), phase: "withdrawn" }), "a"],
    ["is of a job that has had its time", () => ({ ...one(), phase: "expired" }), "a"],
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
  it("makes it processing once the inference service took it", () => {
    const { state, taken } = startTask(claimed(one()), "a", 1, BEGIN + SECOND);
    expect(taken).toBe(true);
    expect(taskStatus(taskOf(state))).toBe("processing");
  });

  it("keeps its lease by telling how far it is, which also says that the service took it", () => {
    const report = { done: 3, total: 10 };
    const { state, taken } = extendTask(claimed(one()), "a", 1, report, policy, BEGIN + 50 * SECOND);
    expect(taken).toBe(true);
    expect(taskOf(state)).toMatchObject({
      step: { at: "leased", lease: 1, deadline: BEGIN + 110 * SECOND },
      progress: { lease: 1, done: 3, total: 10 },
      started: true,
    });
  });

  it("hands it back where there is no room, burning no attempt: it is asked again after the delay, still queued", () => {
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

  it("ends it in failure, with the reason, where no other attempt can succeed", () => {
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

  it("keeps the lease when what it gave is refused, for what such a task can't have", () => {
    const state = claimed(accepted(videoJob({ taskIds: ["a"] })));
    const refused = completeTask(state, "a", 1, SUCCESS, policy, BEGIN + SECOND);
    expect(refused.state).toBe(state);
    expect(refused.report).toEqual({
      reported: "refused",
      reason: "A job of type video has no output of type image.",
    });
  });

  it("learns that its lease is lost before anything else, whatever it gave", () => {
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

  it("fails a task whose third holder is silent, for the reason that an earlier one gave where there is any", () => {
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

describe("messages for tasks", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `task-${i}`);

  it("are due for the first six of a batch, in the order of the request", () => {
    expect(takeDueTasks(batchOf(20), policy, BEGIN).taskIds).toEqual(ids(6));
    expect(takeDueTasks(batchOf(5), policy, BEGIN).taskIds).toEqual(ids(5));
  });

  it("are due for the next ones as soon as others have ended", () => {
    let { state } = takeDueTasks(batchOf(20), policy, BEGIN);
    expect(takeDueTasks(state, policy, BEGIN)).toEqual({ state, taskIds: [] });
    for (const taskId of ["task-0", "task-4"]) state = ended(state, taskId, SUCCESS);
    expect(takeDueTasks(state, policy, BEGIN).taskIds).toEqual(["task-6", "task-7"]);
  });

  it("are due again for those that nobody claimed in time, although the window is full", () => {
    const { state } = takeDueTasks(batchOf(20), policy, BEGIN);
    const again = takeDueTasks(state, policy, BEGIN + policy.resendMs);
    expect(again.taskIds).toEqual(ids(6));
    expect(taskOf(again.state)).toMatchObject({
      step: { at: "sent", resendAt: BEGIN + 90 * SECOND },
      sends: 2,
    });
  });

  it("count once the queue has them, those whose tasks were claimed meanwhile excepted", () => {
    const batch = batchOf(3);
    const { taskIds } = takeDueTasks(batch, policy, BEGIN);
    const held = claimTask(batch, "task-1", policy, BEGIN).state;
    const sent = tasksSent(held, taskIds, policy, BEGIN);
    expect(sent.tasks.map(({ step }) => step.at)).toEqual(["sent", "leased", "sent"]);
    expect(tasksSent(batch, ["task-2"], policy, BEGIN).tasks.map(({ step }) => step.at)).toEqual([
      "waiting",
      "waiting",
      "sent",
    ]);
  });
});

describe("what the account's list shows of a job", () => {
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

describe("a busy inference service", () => {
  it("is offered a window of a job's tasks, ever more rarely, whatever the size of the batch", () => {
    const offers = new Map<string, number[]>();
    let state = batchOf(100);
    for (let now = BEGIN; now < BEGIN + 60_000; now += 100) {
      const due = takeDueTasks(state, policy, now);
      ({ state } = due);
      for (const taskId of due.taskIds) {
        offers.set(taskId, [...(offers.get(taskId) ?? []), now - BEGIN]);
        const claim = claimTask(state, taskId, policy, now);
        state = releaseTask(claim.state, taskId, claim.state.lastLease, 2_000, 0, now).state;
      }
      expect(jobStatus(state.tasks)).toBe("queued");
    }
    expect(offers.size).toBe(policy.window);
    for (const times of offers.values()) expect(times).toEqual([0, 2_000, 4_000, 8_000, 16_000, 32_000]);
  });
});

describe("a day without room", () => {
  const refused = (state: JobState, taskId: string, now: number): JobState => {
    const { state: held } = claimTask(state, taskId, policy, now);
    return releaseTask(held, taskId, held.lastLease, 0, 0, now).state;
  };
  const givenUp = (state: JobState, now: number) =>
    tickTasks(state, policy, now).tasks.flatMap(({ taskId, step }) => (step.at === "failed" ? [taskId] : []));
  const all = ["task-0", "task-1", "task-2"];

  it("begins with the first refusal, and further ones do not begin it again", () => {
    let state = refused(batchOf(3), "task-0", BEGIN + 10 * HOUR);
    state = refused(state, "task-1", BEGIN + 20 * HOUR);
    expect(givenUp(state, BEGIN + 34 * HOUR - 1)).toEqual([]);
    expect(givenUp(state, BEGIN + 34 * HOUR)).toEqual(all);
    expect(nextWake(state, policy, null, BEGIN + 34 * HOUR - 1)).toBe(BEGIN + 34 * HOUR);
  });

  it.each<[string, (state: JobState, now: number) => JobState]>([
    ["a task is taken", (state, now) => startTask(state, "task-2", state.lastLease, now).state],
    [
      "a holder reports progress",
      (state, now) => extendTask(state, "task-2", state.lastLease, { done: 1, total: 2 }, policy, now).state,
    ],
    [
      "a task ends",
      (state, now) => completeTask(state, "task-2", state.lastLease, SUCCESS, policy, now).state,
    ],
    [
      "an attempt fails in the holder's hands",
      (state, now) => completeTask(state, "task-2", state.lastLease, failure(true), policy, now).state,
    ],
  ])("begins again when %s", (_, progress) => {
    let state = refused(batchOf(3), "task-0", BEGIN);
    const now = BEGIN + DAY - 1;
    state = progress(claimTask(state, "task-2", policy, now).state, now);
    expect(givenUp(state, now + DAY - 1)).not.toContain("task-0");
    expect(givenUp(state, now + DAY)).toContain("task-0");
    state = refused(state, "task-0", now + HOUR);
    expect(givenUp(state, now + DAY + HOUR - 1)).not.toContain("task-1");
    expect(givenUp(state, now + DAY + HOUR)).toContain("task-1");
  });

  it("does not begin again for the others when a task is returned", () => {
    const held = claimTask(refused(batchOf(3), "task-0", BEGIN), "task-2", policy, BEGIN + HOUR).state;
    const returned: Completion = { outcome: "returned" };
    const { state } = completeTask(held, "task-2", held.lastLease, returned, policy, BEGIN + HOUR);
    expect(givenUp(state, BEGIN + DAY)).toEqual(["task-0", "task-1"]);
  });

  it("is not what a batch has of which something gets on all day: all of it succeeds, however long that takes", () => {
    const interval = fc.integer({ min: 1, max: DAY - 1 });
    fc.assert(
      fc.property(fc.array(interval, { minLength: 20, maxLength: 20 }), (intervals) => {
        let state = batchOf(20);
        let now = BEGIN;
        for (const [i, ms] of intervals.entries()) {
          for (let other = i; other < Math.min(20, i + policy.window); other += 1)
            state = refused(state, `task-${other}`, now);
          now += ms;
          state = ended(tickTasks(state, policy, now), `task-${i}`, SUCCESS, now);
        }
        expect(state.tasks.every(({ step }) => step.at === "success")).toBe(true);
      }),
      { seed: Number(process.env["SEED"]) },
    );
  });
});

describe("a task that takes longer than a day", () => {
  const heartbeat = { done: 1, total: 2 };

  it("is not given up while it is in hand, nor before its next attempt had its own day", () => {
    let now = BEGIN;
    let state = claimTask(batchOf(1), "task-0", policy, now).state;
    for (; now < BEGIN + 30 * HOUR; now += 30_000) {
      state = tickTasks(extendTask(state, "task-0", 1, heartbeat, policy, now).state, policy, now);
    }
    expect(taskStatus(taskOf(state))).toBe("processing");

    state = completeTask(state, "task-0", 1, failure(true), policy, now).state;
    const patience = nextWake(state, policy, null, now + policy.giveUpMs - 1);
    expect(patience).toBe(now + policy.giveUpMs);
    expect(isDone(taskOf(tickTasks(state, policy, patience - 1)))).toBe(false);
    const given = taskOf(tickTasks(state, policy, patience));
    expect(given).toMatchObject({ step: { at: "failed" }, problem: { code: "inference_unavailable" } });
  });
});

describe("a cancellation", () => {
  const threeTasks = (): JobState => {
    const job = ended(accepted(imageJob(["a", "b", "c"])), "a", SUCCESS);
    return claimTask(job, "b", policy, BEGIN).state;
  };

  it("ends each task that has not ended, and takes nothing from those that have [A2-4]", () => {
    const before = threeTasks();
    const { state, taken } = cancelTasks(before, BEGIN + SECOND);
    expect(taken).toBe(true);
    expect(taskOf(state, "a")).toBe(taskOf(before, "a"));
    for (const taskId of ["b", "c"]) {
      expect(taskOf(state, taskId).step).toEqual({ at: "failed", lease: null });
      expect(taskOf(state, taskId).problem?.code).toBe("canceled");
    }
    expect(jobStatus(state.tasks)).toBe("success");
    expect(state).toMatchObject({ version: before.version + 1, updatedAt: BEGIN + SECOND });
  });

  it("ends a job of which nothing has succeeded as failed, and the client reads why", () => {
    const { state } = cancelTasks(one(), BEGIN);
    expect(jobStatus(state.tasks)).toBe("failed");
    expect(jobError(state.tasks)).toMatch(/^canceled: The job was canceled before/);
  });

  it("makes a holder's later report come too late, and no claim possible [A2-6]", () => {
    const { state } = cancelTasks(threeTasks(), BEGIN);
    expect(completeTask(state, "b", 2, SUCCESS, policy, BEGIN).report).toEqual({ reported: "lease_lost" });
    expect(claimTask(state, "c", policy, BEGIN).taken).toBe(false);
    expect(takeDueTasks(state, policy, BEGIN + DAY).taskIds).toEqual([]);
  });

  it("of what has not begun leaves what the inference service has taken, or somebody holds", () => {
    const [begun, held] = [claimTask(batchOf(3), "task-0", policy, BEGIN).state, "task-1"];
    const handedBack = releaseTask(
      startTask(begun, "task-0", 1, BEGIN).state,
      "task-0",
      1,
      SECOND,
      0.5,
      BEGIN,
    ).state;
    const before = claimTask(handedBack, held, policy, BEGIN).state;
    const { state, taken } = cancelUnbegun(before, BEGIN + SECOND);
    expect(taken).toBe(true);
    expect(taskOf(state, "task-0")).toBe(taskOf(before, "task-0"));
    expect(taskOf(state, held)).toBe(taskOf(before, held));
    expect(taskOf(state, "task-2")).toMatchObject({ step: { at: "failed" }, problem: { code: "canceled" } });
    expect(cancelUnbegun(state, BEGIN)).toEqual({ state, taken: false });
  });

  it.each<[string, () => JobState]>([
    ["has ended", () => ended(one(), "a", SUCCESS)],
    ["was not accepted", () => ({ ...one(), phase: "prepared" })],
    ["was withdrawn", () => ({ ...one(), phase: "withdrawn" })],
    ["has had its time", () => ({ ...one(), phase: "expired" })],
  ])("cancels nothing of a job that %s", (_, make) => {
    const state = make();
    expect(cancelTasks(state, BEGIN)).toEqual({ state, taken: false });
  });
});
