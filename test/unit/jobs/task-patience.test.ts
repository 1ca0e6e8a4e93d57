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
  tasksSent,
} from "../../../src/jobs/rules/tasks.ts";
import { policy } from "../../support/job-policy.ts";
import { jobStatus, taskStatus } from "../../../src/jobs/rules/rollup.ts";
import { isDone, type JobState } from "../../../src/jobs/rules/state.ts";
import { nextWake } from "../../../src/jobs/rules/lifecycle.ts";
import type { Completion } from "@segmentation/protocol";
import { BEGIN, DAY, ended, failure, HOUR, SECOND, SUCCESS, taskOf } from "../../support/a-job.ts";
import { batchOf } from "../../support/any-event.ts";

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

  it("are due again for unclaimed tasks, although the window is full", () => {
    const { state } = takeDueTasks(batchOf(20), policy, BEGIN);
    const again = takeDueTasks(state, policy, BEGIN + policy.resendMs);
    expect(again.taskIds).toEqual(ids(6));
    expect(taskOf(again.state)).toMatchObject({
      step: { at: "sent", resendAt: BEGIN + 90 * SECOND },
      sends: 2,
    });
  });

  it("count once the queue has them, except for tasks claimed meanwhile", () => {
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

describe("a busy inference service", () => {
  it("is offered a window of a job's tasks, ever more rarely, for any batch size", () => {
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

  it("is not the fate of a batch with daily progress: all of it succeeds in the end", () => {
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

  it("is not given up while it is held, nor before its next attempt had a day", () => {
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
