import type { ProgressReport } from "@segmentation/protocol";
import { isDone, type TaskProgress, type TaskRecord } from "./state.ts";

const share = ({ done, total }: ProgressReport): number => Math.min(done / total, 1);

/** What the holder of `lease` has reported so far; nothing of an earlier lease counts. */
const told = (task: TaskRecord, lease: number): TaskProgress | null =>
  task.progress?.lease === lease ? task.progress : null;

/** The progress to keep after a report by the holder of `lease`: within one lease it never falls. */
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

/** Added before rounding down, because a sum of binary fractions may fall short of its hundredth by a hair. */
const ROUNDING = 1e-9;

/**
 * The share of a job's work that is done, in whole hundredths, rounded down: the mean over its tasks. A task that has
 * ended counts as 1, a leased one by its holder's reports. 1 only when every task has ended. It falls when an attempt
 * fails, because the next one begins anew.
 */
export function jobProgress(tasks: readonly TaskRecord[]): number {
  if (tasks.every(isDone)) return 1;
  const sum = tasks.reduce((so, task) => so + taskShare(task), 0);
  return Math.min(Math.floor((sum / tasks.length) * 100 + ROUNDING), 99) / 100;
}
