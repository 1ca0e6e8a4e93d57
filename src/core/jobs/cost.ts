import type { TaskOutput } from "@segmentation/protocol";
import type { JobState, TaskRecord } from "./state.ts";

/** What a job has used, and what it has cost the operator. */
export interface JobCost {
  /** What is charged: the units of the successful tasks. Failed ones are free. */
  readonly usedUnits: number;
  /** What was processed, charged or not: the day's limit counts it, so that nobody can have clips fail all day. */
  readonly processedUnits: number;
}

/**
 * The frames that a clip's holders have processed, as far as they reported them; at least one for each attempt, because one
 * that failed, or was cancelled, before its first report has cost something too.
 */
function framesOf({ started, attempts, spent = 0, progress }: TaskRecord, used: number): number {
  return Math.max(started ? attempts : 0, spent + Math.max(used, progress?.done ?? 0));
}

/**
 * What a job has cost. A failed picture counts as nothing here: the limit of tasks per day counts it.
 * @param outputOf the output of a task that has succeeded
 */
export function jobCost(
  { definition, tasks }: JobState,
  outputOf: (taskId: string) => TaskOutput | null,
): JobCost {
  let [usedUnits, processedUnits] = [0, 0];
  for (const task of tasks) {
    const used = task.step.at === "success" ? (outputOf(task.taskId)?.units ?? 0) : 0;
    usedUnits += used;
    processedUnits += definition.type === "video" ? framesOf(task, used) : used;
  }
  return { usedUnits, processedUnits };
}
