import { describe, expect, it } from "vitest";
import { jobProgress } from "../../../src/jobs/rules/rollup.ts";
import type { TaskRecord, JobState } from "../../../src/jobs/rules/state.ts";
import { accepted, BEGIN, taskOf, videoJob } from "../../support/a-job.ts";
import fc from "fast-check";
import { policy } from "../../support/job-policy.ts";
import { claimTask, completeTask, extendTask, takeDueTasks } from "../../../src/jobs/rules/tasks.ts";
import type { ProgressReport } from "@segmentation/protocol";

const running = (taskIds: readonly string[]): JobState => accepted(videoJob({ taskIds }));

const claimed = (state: JobState, taskId = "clip"): JobState => claimTask(state, taskId, policy, BEGIN).state;

const reported = (state: JobState, done: number, total: number, taskId = "clip"): JobState =>
  extendTask(state, taskId, state.lastLease, { done, total }, policy, BEGIN).state;

const failedWith = (retryable: boolean) =>
  ({ outcome: "failed", problem: { code: "video_stalled", message: "It stalled." }, retryable }) as const;

const failed = (state: JobState, retryable: boolean): JobState =>
  completeTask(state, "clip", state.lastLease, failedWith(retryable), policy, BEGIN).state;

const anyReport: fc.Arbitrary<ProgressReport> = fc.record({
  done: fc.nat(4_000),
  total: fc.integer({ min: 1, max: 3_600 }),
});

/** Any task: ended, waiting, or leased with or without a report of this lease or an earlier one. */
const anyTask: fc.Arbitrary<TaskRecord> = fc
  .record({
    step: fc.constantFrom(
      { at: "waiting" as const, notBefore: BEGIN },
      { at: "sent" as const, resendAt: BEGIN },
      { at: "leased" as const, lease: 2, deadline: BEGIN },
      { at: "success" as const, lease: 2 },
      { at: "failed" as const, lease: null },
    ),
    progress: fc.option(fc.record({ lease: fc.constantFrom(1, 2), report: anyReport }), { nil: undefined }),
  })
  .map(({ step, progress }) => ({
    taskId: "clip",
    step,
    attempts: 1,
    sends: 0,
    refusals: 0,
    started: true,
    problem: null,
    ...(progress !== undefined && { progress: { lease: progress.lease, ...progress.report } }),
  }));

describe("a job's progress", () => {
  it("is 0 before its tasks are held, and in a job stored before progress existed", () => {
    expect(jobProgress(running(["clip"]).tasks)).toBe(0);
    expect(jobProgress(claimed(running(["clip"])).tasks)).toBe(0);
    expect(jobProgress(takeDueTasks(running(["clip"]), policy, BEGIN).state.tasks)).toBe(0);
  });

  it("of one task is what its holder reports, rounded down to whole hundredths", () => {
    const total = fc.integer({ min: 1, max: 3_600 });
    fc.assert(
      fc.property(total, fc.nat(3_600), (of, done) => {
        fc.pre(done < of);
        const { tasks } = reported(claimed(running(["clip"])), done, of);
        // In integers: they have no rounding of binary fractions.
        expect(Math.round(jobProgress(tasks) * 100)).toBe(Number((BigInt(done) * 100n) / BigInt(of)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the mean over its tasks, an ended one counted whole", () => {
    let state = claimed(running(["clip", "b", "c", "d"]));
    state = failed(state, false);
    expect(jobProgress(state.tasks)).toBe(0.25);
    state = reported(claimed(state, "b"), 2, 4, "b");
    expect(jobProgress(state.tasks)).toBe(0.37);
    state = reported(claimed(state, "c"), 1, 2, "c");
    expect(jobProgress(state.tasks)).toBe(0.5);
  });

  it("is a whole number of hundredths from 0 to 1, and 1 only when every task has ended [3.1-10]", () => {
    fc.assert(
      fc.property(fc.array(anyTask, { minLength: 1, maxLength: 100 }), (tasks) => {
        const progress = jobProgress(tasks);
        expect(progress.toFixed(2)).toMatch(/^(0\.\d\d|1\.00)$/);
        expect(Math.round(progress * 100) / 100).toBe(progress);
        const areDone = tasks.every(({ step }) => step.at === "success" || step.at === "failed");
        expect(progress === 1).toBe(areDone);
      }),
      { numRuns: 2_000 },
    );
  });

  it("stays below 1 while a holder that has done all of its units has not reported the end", () => {
    expect(jobProgress(reported(claimed(running(["clip"])), 10, 10).tasks)).toBe(0.99);
    expect(jobProgress(reported(claimed(running(["clip"])), 11, 10).tasks)).toBe(0.99);
  });

  it("never falls during a lease, for any report [3.1-10]", () => {
    fc.assert(
      fc.property(fc.array(anyReport, { minLength: 2, maxLength: 20 }), (reports) => {
        let state = claimed(running(["clip"]));
        let before = 0;
        for (const { done, total } of reports) {
          state = reported(state, done, total);
          const now = jobProgress(state.tasks);
          expect(now).toBeGreaterThanOrEqual(before);
          before = now;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("follows its holder's reports, the later of two that say the same", () => {
    const begun = reported(claimed(running(["clip"])), 1, 10);
    const half = reported(begun, 5, 10);
    expect(jobProgress(half.tasks)).toBe(0.5);
    expect(taskOf(reported(half, 10, 20)).progress).toEqual({ lease: 1, done: 10, total: 20 });
  });

  it("begins again at 0 with a new attempt", () => {
    const once = failed(reported(claimed(running(["clip"])), 9, 10), true);
    expect(jobProgress(once.tasks)).toBe(0);
    const again = claimed(once);
    expect(jobProgress(again.tasks)).toBe(0);
    expect(jobProgress(reported(again, 1, 10).tasks)).toBe(0.1);
  });

  it("is not changed by a former holder of the lease", () => {
    const state = reported(claimed(failed(reported(claimed(running(["clip"])), 5, 10), true)), 1, 10);
    const late = extendTask(state, "clip", 1, { done: 9, total: 10 }, policy, BEGIN);
    expect(late).toEqual({ state, taken: false });
  });
});
