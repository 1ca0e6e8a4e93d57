import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgotten } from "../../../../src/core/job/forget.ts";
import { takesPlace } from "../../../../src/core/job/delivery.ts";
import { DEFAULT_POLICY as policy } from "../../../../src/core/job/policy.ts";
import { jobError, jobStatus, taskStatus } from "../../../../src/core/job/rollup.ts";
import { isDone, type JobState } from "../../../../src/core/job/state.ts";
import {
  cancelTasks,
  claimTask,
  completeTask,
  extendTask,
  releaseTask,
  startTask,
  takeDueTasks,
  tickTasks,
  unsendTasks,
} from "../../../../src/core/job/tasks.ts";
import { nextWake } from "../../../../src/core/job/wake.ts";
import type { Completion, ProgressReport } from "@segmentation/protocol";
import { accepted, BEGIN, failure, imageJob, SUCCESS } from "./a-job.ts";

const RANK = { queued: 0, processing: 1, success: 2, failed: 2 };

const batchOf = (tasks: number): JobState =>
  accepted(imageJob(Array.from({ length: tasks }, (_, i) => `task-${i}`)));

/** What may happen to a job: each event about any task, by the holder of any lease, after any time. */
type Event =
  | { kind: "pass"; ms: number }
  | { kind: "send" }
  | { kind: "sendFails" }
  | { kind: "cancel" }
  | { kind: "forget" }
  | { kind: "claim"; task: number }
  | { kind: "start" | "release"; task: number; lease: number }
  | { kind: "extend"; task: number; lease: number; report: ProgressReport }
  | { kind: "complete"; task: number; lease: number; completion: Completion };

const task = fc.nat(7);
const lease = fc.integer({ min: 1, max: 30 });
const report = fc.record({ done: fc.nat(12), total: fc.integer({ min: 1, max: 10 }) });
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 2_000, 31_000, 61_000, 601_000) }),
  fc.constant({ kind: "send" as const }),
  fc.constant({ kind: "sendFails" as const }),
  fc.constant({ kind: "cancel" as const }),
  fc.constant({ kind: "forget" as const }),
  fc.record({ kind: fc.constant("claim" as const), task }),
  fc.record({ kind: fc.constantFrom("start" as const, "release" as const), task, lease }),
  fc.record({ kind: fc.constant("extend" as const), task, lease, report }),
  fc.record({
    kind: fc.constant("complete" as const),
    task,
    lease,
    completion: fc.constantFrom<Completion>(SUCCESS, failure(true), failure(false), { outcome: "returned" }),
  }),
);

function step(state: JobState, event: Event, now: number): JobState {
  switch (event.kind) {
    case "pass":
      return tickTasks(state, policy, now);
    case "cancel":
      return cancelTasks(state, now).state;
    case "forget":
      return forgotten(state, now);
    case "send":
      return takeDueTasks(state, policy, now).state;
    case "sendFails": {
      const taken = takeDueTasks(state, policy, now);
      return unsendTasks(taken.state, taken.taskIds, 5_000, now);
    }
    case "claim":
      return claimTask(state, `task-${event.task}`, policy, now).state;
    case "start":
      return startTask(state, `task-${event.task}`, event.lease, now).state;
    case "release":
      return releaseTask(state, `task-${event.task}`, event.lease, 2_000, 0.5, now).state;
    case "extend":
      return extendTask(state, `task-${event.task}`, event.lease, event.report, policy, now).state;
    case "complete":
      return completeTask(state, `task-${event.task}`, event.lease, event.completion, policy, now).state;
  }
}

type Look = (before: JobState, after: JobState, event: Event, now: number) => void;

/** Runs events from a job's acceptance on, and looks at each step. */
function run(events: readonly Event[], look: Look) {
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
    fc.property(fc.array(anyEvent, { maxLength: 120 }), (events) => {
      run(events, look);
    }),
    { numRuns: 1_000 },
  );

describe("a job's tasks, whatever happens in whatever order", () => {
  it("go only forward, and what has ended stays as it is", () => {
    everyRun((before, after) => {
      for (const [i, was] of before.tasks.entries()) {
        const is = after.tasks[i];
        // Most events change one task; what is the same object did not move.
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

  it("are changed by a lease that is not in force in no way", () => {
    everyRun((before, after, event) => {
      if (!("lease" in event)) return;
      const was = before.tasks[event.task]?.step;
      const inForce = was !== undefined && "lease" in was && was.lease === event.lease;
      if (!inForce) expect(after).toBe(before);
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
      if (before.phase !== "running") expect(after).toBe(before);
    });
  });

  it("all end, once the holders report: nothing is ever left without an alarm to wake it", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 120 }), (events) => {
        let { state, now } = run(events, () => {});
        for (let rings = 0; rings < 1_000 && !state.tasks.every(isDone); rings += 1) {
          const wake = nextWake(state, policy, now);
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
      { numRuns: 500 },
    );
  });
});
