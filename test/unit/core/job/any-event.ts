import fc from "fast-check";
import { forgotten } from "../../../../src/core/job/forget.ts";
import { DEFAULT_POLICY as policy } from "../../../../src/core/job/policy.ts";
import type { JobState } from "../../../../src/core/job/state.ts";
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
import type { Completion, ProgressReport } from "@segmentation/protocol";
import { accepted, failure, imageJob, SUCCESS } from "./a-job.ts";

/** A batch of so many pictures, at its acceptance. */
export const batchOf = (tasks: number): JobState =>
  accepted(imageJob(Array.from({ length: tasks }, (_, i) => `task-${i}`)));

/** What may happen to a job: each event about any task, by the holder of any lease, after any time. */
export type AnyEvent =
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
/** Any of them. */
export const anyEvent: fc.Arbitrary<AnyEvent> = fc.oneof(
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

/** The job after an event. */
export function step(state: JobState, event: AnyEvent, now: number): JobState {
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
