import type { JobCost } from "../../billing/rules/ledger.ts";
import { filesOf, problemOf, type TaskOutput } from "@segmentation/protocol";
import type { JobDefinition, JobState, TaskRecord } from "./state.ts";
import { mostFilesOfTask, unitsOf } from "./task-outputs.ts";

const CANCELED = problemOf("canceled").code;

/**
 * The most units that a job can use, reserved when it is accepted: one per picture or processed video frame, none if it is free.
 * The request and the operator limit the number of frames.
 */
export function unitsToReserve(job: JobDefinition, maxVideoFrames: number): number {
  if (job.type === "image") return job.free ? 0 : job.taskIds.length;
  return Math.min(maxVideoFrames, job.numFrames ?? Infinity, job.maxFrames ?? Infinity);
}

/**
 * The frames that a clip's holders have processed, as far as they reported them; at least one for each attempt, because one
 * that failed, or was canceled, before its first report has cost something too.
 */
function framesOf({ started, attempts, spent = 0, progress }: TaskRecord, used: number): number {
  return Math.max(started ? attempts : 0, spent + Math.max(used, progress?.done ?? 0));
}

/**
 * The files that a task has written. One that was canceled may have written all that it was allowed to, unless the inference
 * service never took it; one that failed has written none, or few.
 */
function filesOfTask({ definition }: JobState, task: TaskRecord, output: TaskOutput | null): number {
  if (output !== null) return filesOf(output).length;
  return task.started && task.problem?.code === CANCELED ? mostFilesOfTask(definition) : 0;
}

/**
 * What a job has cost. A failed picture counts as nothing here: the limit of tasks per day counts it.
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
