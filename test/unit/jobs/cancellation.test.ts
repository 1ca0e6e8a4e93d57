import { describe, expect, it } from "vitest";
import {
  cancelTasks,
  cancelUnbegun,
  claimTask,
  completeTask,
  releaseTask,
  startTask,
  takeDueTasks,
} from "../../../src/jobs/rules/tasks.ts";
import { policy } from "../../support/job-policy.ts";
import { jobError, jobStatus } from "../../../src/jobs/rules/rollup.ts";
import type { JobState } from "../../../src/jobs/rules/state.ts";
import { accepted, BEGIN, DAY, ended, imageJob, SECOND, SUCCESS, taskOf } from "../../support/a-job.ts";
import { batchOf } from "../../support/any-event.ts";

const one = (): JobState => accepted(imageJob(["a"]));

describe("a cancellation", () => {
  const threeTasks = (): JobState => {
    const job = ended(accepted(imageJob(["a", "b", "c"])), "a", SUCCESS);
    return claimTask(job, "b", policy, BEGIN).state;
  };

  it("ends each unfinished task, and takes nothing from finished ones [A2-4]", () => {
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

  it("of waiting tasks leaves those with the inference service or a holder", () => {
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
