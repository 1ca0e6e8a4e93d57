import type { ProgressReport } from "@segmentation/protocol";
import { isDone, type TaskProgress, type TaskRecord } from "./state.ts";

const share = ({ done, total }: ProgressReport): number => Math.min(done / total, 1);

/** What the holder of `lease` has told so far; of an earlier lease nothing counts. */
const told = (task: TaskRecord, lease: number): TaskProgress | null =>
  task.progress?.lease === lease ? task.progress : null;

/** What is kept of a report by the holder of `lease`: within one lease, nobody is shown less than before. */
export function latestProgress(
  task: TaskRecord,
  lease: number,
  { done, total }: ProgressReport,
): TaskProgress {
  const before = told(task, lease);
  return before !== null && share(before) > share({ done, total }) ? before : { lease, done, total };
}

function taskShare(task: TaskRecord): number {
  if (isDone(task)) return 1;
  const progress = task.step.at === "leased" ? told(task, task.step.lease) : null;
  return progress === null ? 0 : share(progress);
}

/** Added before rounding down: binary fractions sum up to a hair less than the hundredth that they make. */
const ROUNDING = 1e-9;

/**
 * The share of a job's work that is done, in whole hundredths, rounded down: the mean over its tasks, where one that
 * ended counts whole and one in a holder's hands by its reports. 1 only when every task has ended. It falls when an
 * attempt fails, for the next one begins again.
 */
export function jobProgress(tasks: readonly TaskRecord[]): number {
  if (tasks.every(isDone)) return 1;
  const sum = tasks.reduce((so, task) => so + taskShare(task), 0);
  return Math.min(Math.floor((sum / tasks.length) * 100 + ROUNDING), 99) / 100;
}
