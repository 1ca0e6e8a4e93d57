import type { JobCost } from "../../billing/rules/ledger.ts";
import { filesOf, problemOf, type TaskOutput } from "@segmentation/protocol";
import type { JobDefinition, JobState, TaskRecord } from "./state.ts";
import { mostFilesOfTask, unitsOf } from "./task-outputs.ts";

const CANCELED = problemOf("canceled").code;

/**
 * Returns the maximum units that a job can use, reserved at its acceptance: one per picture or processed video frame, none if it
 * is free. The request and the operator limit the number of frames.
 */
export function unitsToReserve(job: JobDefinition, maxVideoFrames: number): number {
  if (job.type === "image") return job.free ? 0 : job.taskIds.length;
  return Math.min(maxVideoFrames, job.numFrames ?? Infinity, job.maxFrames ?? Infinity);
}

/**
 * Returns the frames that a video's holders have reported as processed; at least one for each attempt, because an attempt that
 * ended before its first report had a cost, too.
 */
function framesOf({ started, attempts, spent = 0, progress }: TaskRecord, used: number): number {
  return Math.max(started ? attempts : 0, spent + Math.max(used, progress?.done ?? 0));
}

/**
 * Returns the number of files that a task has written. A canceled task may have written its maximum, unless the inference service
 * never took it; a failed task has written none, or few.
 */
function filesOfTask({ definition }: JobState, task: TaskRecord, output: TaskOutput | null): number {
  if (output !== null) return filesOf(output).length;
  return task.started && task.problem?.code === CANCELED ? mostFilesOfTask(definition) : 0;
}

/**
 * Returns a job's cost. A failed picture counts as nothing here: the limit of tasks per day counts it.
 * @param outputOf the output of a task that has succeeded
 */
export function jobCost(state: JobState, outputOf: (taskId: string) => TaskOutput | null): JobCost {
  let [usedUnits, processedUnits, files] = [0, 0, 0];
  for (const task of state.tasks) {
    const output = task.step.at === "success" ? outputOf(task.taskId) : null;
    const used = output === null ? 0 : unitsOf(state.definition, output);
    usedUnits += used;
    processedUnits += state.definition.type === "video" ? framesOf(task, used) : used;
    files += filesOfTask(state, task, output);
  }
  return { usedUnits, processedUnits, files };
}
