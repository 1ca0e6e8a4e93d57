import { filesOf, problemOf, type TaskOutput } from "@segmentation/protocol";
import type { JobState, TaskRecord } from "./state.ts";
import { mostFilesOfTask, unitsOf } from "./task-outputs.ts";

const CANCELED = problemOf("canceled").code;

/** What a job has used, and what it has cost the operator. */
export interface JobCost {
  /** What is charged: the units of the successful tasks. Failed ones are free, and those of a free job. */
  readonly usedUnits: number;
  /** What was processed, charged or not: the day's limit counts it, so that nobody can have clips fail all day. */
  readonly processedUnits: number;
  /** The files that its tasks wrote: each costs about as much as any other, however small it is. */
  readonly files: number;
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
