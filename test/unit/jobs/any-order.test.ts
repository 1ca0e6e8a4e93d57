import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takesPlace } from "../../../src/jobs/rules/delivery.ts";
import { policy } from "../../support/job-policy.ts";
import { jobError, jobStatus, taskStatus } from "../../../src/jobs/rules/rollup.ts";
import { isDone, type JobState } from "../../../src/jobs/rules/state.ts";
import { claimTask, completeTask, takeDueTasks, tickTasks } from "../../../src/jobs/rules/tasks.ts";
import { nextWake } from "../../../src/jobs/rules/lifecycle.ts";
import { BEGIN, SUCCESS } from "../../support/a-job.ts";
import { anyEvents, batchOf, leaseInForce, step, type AnyEvent } from "../../support/any-event.ts";

const RANK = { queued: 0, processing: 1, success: 2, failed: 2 };

type Look = (before: JobState, after: JobState, event: AnyEvent, now: number) => void;

/** Runs events from a job's acceptance on, and calls `look` at each step. */
function run(events: readonly AnyEvent[], look: Look) {
  let state = batchOf(8);
  let now = BEGIN;
  for (const event of events) {
    if (event.kind === "pass") now += event.ms;
    const after = step(state, event, now);
    look(state, after, event, now);
    state = after;
  }
  return { state, now };
}

const everyRun = (look: Look) =>
  fc.assert(
    fc.property(anyEvents, (events) => {
      run(events, look);
    }),
    { numRuns: 300 },
  );

describe("a job's tasks, after any events in any order", () => {
  it("go only forward, and never change after the end [3.1-1]", () => {
    everyRun((before, after) => {
      for (const [i, was] of before.tasks.entries()) {
        const is = after.tasks[i];
        // Most events change one task; the same object means no change.
        if (is === was) continue;
        if (is === undefined) throw new Error("a task is lost");
        expect(isDone(was)).toBe(false);
        expect(RANK[taskStatus(is)]).toBeGreaterThanOrEqual(RANK[taskStatus(was)]);
      }
    });
  });

  it("are never held under two leases, and no fencing token is given out twice", () => {
    everyRun((before, after, event) => {
      expect(after.lastLease).toBe(before.lastLease + (event.kind === "claim" && before !== after ? 1 : 0));
      const held = after.tasks.flatMap(({ step: at }) => (at.at === "leased" ? [at.lease] : []));
      expect(new Set(held).size).toBe(held.length);
      expect(Math.max(0, ...held)).toBeLessThanOrEqual(after.lastLease);
    });
  });

  it("are never changed by a lease that is not in force", () => {
    everyRun((before, after, event) => {
      if (!("lease" in event)) return;
      const inForce = leaseInForce(before, event.task);
      if (inForce === null || (event.lease ?? inForce) !== inForce) expect(after).toBe(before);
    });
  });

  it("are sent no further than the window, nor tried more often than allowed", () => {
    everyRun((before, after, event, now) => {
      if (event.kind === "send") {
        const [was, is] = [before, after].map(
          ({ tasks }) => tasks.filter((each) => takesPlace(each, now)).length,
        );
        expect(is).toBeLessThanOrEqual(Math.max(policy.window, was ?? 0));
      }
      const attempts = after.tasks.map((each) => each.attempts);
      expect(Math.min(...attempts)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...attempts)).toBeLessThanOrEqual(policy.maxAttempts);
    });
  });

  it("make a new version of the projection exactly when the job's status or error changes", () => {
    everyRun((before, after) => {
      const shown = ({ tasks }: JobState) => [jobStatus(tasks), jobError(tasks)].join(" ");
      expect(after.version - before.version).toBe(shown(before) === shown(after) ? 0 : 1);
    });
  });

  it("have all ended once the job is forgotten, and then nothing is held, sent or taken any more", () => {
    everyRun((before, after, _, now) => {
      if (after.phase === "running") return;
      expect(after.phase).toBe("expired");
      expect(after.tasks.every(isDone)).toBe(true);
      expect(takeDueTasks(after, policy, now).taskIds).toEqual([]);
      if (before.phase !== "running") expect(after.tasks).toBe(before.tasks);
    });
  });

  it("all end once the holders report: an alarm exists for everything unfinished [3.1-6]", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let { state, now } = run(events, () => {});
        for (let rings = 0; rings < 1_000 && !state.tasks.every(isDone); rings += 1) {
          const wake = nextWake(state, policy, null, now);
          expect(wake).toBeGreaterThan(now);
          now = wake;
          state = tickTasks(state, policy, now);
          const { state: sent, taskIds } = takeDueTasks(state, policy, now);
          state = sent;
          for (const taskId of taskIds) {
            const claim = claimTask(state, taskId, policy, now);
            if (!claim.taken) continue;
            state = completeTask(claim.state, taskId, claim.state.lastLease, SUCCESS, policy, now).state;
          }
        }
        expect(state.tasks.every(isDone)).toBe(true);
        expect(now).toBeLessThan(BEGIN + policy.retentionMs);
      }),
      { numRuns: 150 },
    );
  });
});
