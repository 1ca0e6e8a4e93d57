import fc from "fast-check";
import { forgotten, sendFailed } from "../../src/jobs/rules/lifecycle.ts";
import { policy } from "./job-policy.ts";
import type { JobState } from "../../src/jobs/rules/state.ts";
import {
  cancelTasks,
  claimTask,
  completeTask,
  extendTask,
  releaseTask,
  startTask,
  takeDueTasks,
  tickTasks,
} from "../../src/jobs/rules/tasks.ts";
import type { Completion, ProgressReport } from "@segmentation/protocol";
import { accepted, failure, imageJob, SUCCESS } from "./a-job.ts";

/** Returns a batch with this many pictures, at its acceptance. */
export const batchOf = (tasks: number): JobState =>
  accepted(imageJob(Array.from({ length: tasks }, (_, i) => `task-${i}`)));

/** Any event of a job: about any task, by the holder of any lease (null: the one in force), after any time. */
export type AnyEvent =
  | { kind: "pass"; ms: number }
  | { kind: "send" }
  | { kind: "sendFails" }
  | { kind: "cancel" }
  | { kind: "forget" }
  | { kind: "claim"; task: number }
  | { kind: "start" | "release"; task: number; lease: number | null }
  | { kind: "extend"; task: number; lease: number | null; report: ProgressReport }
  | { kind: "complete"; task: number; lease: number | null; completion: Completion };

const task = fc.nat(7);
/** Half of the reports come from the holder of the task. */
const lease = fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2 });
const report = fc.record({ done: fc.nat(12), total: fc.integer({ min: 1, max: 10 }) });
/** Any of these events; those that end the whole job are rare. */
export const anyEvent: fc.Arbitrary<AnyEvent> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 2_000, 31_000, 61_000, 601_000),
    }),
  },
  { weight: 10, arbitrary: fc.constant({ kind: "send" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "sendFails" as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: "cancel" as const }, { kind: "forget" as const }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("claim" as const), task }) },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constantFrom("start" as const, "release" as const), task, lease }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("extend" as const), task, lease, report }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("complete" as const),
      task,
      lease,
      completion: fc.constantFrom<Completion>(SUCCESS, failure(true), failure(false), {
        outcome: "returned",
      }),
    }),
  },
);
/** The events of one job: up to 120; fast-check's default would be a few. */
export const anyEvents = fc.array(anyEvent, { maxLength: 120, size: "max" });

/** Returns the lease in force of one of the job's tasks; null if no consumer holds it. */
export function leaseInForce({ tasks }: JobState, index: number): number | null {
  const at = tasks[index]?.step;
  return at !== undefined && "lease" in at ? at.lease : null;
}

export function step(state: JobState, event: AnyEvent, now: number): JobState {
  const held = "lease" in event ? (event.lease ?? leaseInForce(state, event.task) ?? 0) : 0;
  switch (event.kind) {
    case "pass":
      return tickTasks(state, policy, now);
    case "cancel":
      return cancelTasks(state, now).state;
    case "forget":
      return forgotten(state, now);
    case "send":
      return takeDueTasks(state, policy, now).state;
    case "sendFails":
      return sendFailed(state, 0.5, now);
    case "claim":
      return claimTask(state, `task-${event.task}`, policy, now).state;
    case "start":
      return startTask(state, `task-${event.task}`, held, now).state;
    case "release":
      return releaseTask(state, `task-${event.task}`, held, 2_000, 0.5, now).state;
    case "extend":
      return extendTask(state, `task-${event.task}`, held, event.report, policy, now).state;
    case "complete":
      return completeTask(state, `task-${event.task}`, held, event.completion, policy, now).state;
  }
}
