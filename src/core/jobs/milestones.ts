import { jobStatus } from "./rollup.ts";
import { archiveEnd, hasEnded, type JobState, type TaskRecord } from "./state.ts";

const hasStarted = (tasks: readonly TaskRecord[]): boolean => tasks.some((task) => task.started);

/**
 * What a job has reached with a change: its first task at the inference service, the end of its last, the end of an archive.
 * `ms` is since the job's acceptance, or since the archive was asked for.
 */
export type Milestone =
  | { readonly event: "job_started"; readonly ms: number }
  | { readonly event: "job_ended" | "archive_ended"; readonly ms: number; readonly status: string };

/** The milestones between two states of a job, in their order; a job's own are reached once in its life. */
export function milestones(before: JobState | null, after: JobState, now: number): Milestone[] {
  if (before === null) return [];
  const { definition, tasks, archive } = after;
  const ms = now - definition.createdAt;
  const reached: Milestone[] = [];
  if (hasStarted(tasks) && !hasStarted(before.tasks)) reached.push({ event: "job_started", ms });
  if (hasEnded(tasks) && !hasEnded(before.tasks)) {
    reached.push({ event: "job_ended", ms, status: jobStatus(tasks) });
  }
  const status = archiveEnd(archive);
  if (archive?.requestedAt !== undefined && status !== null && archiveEnd(before.archive) === null) {
    reached.push({ event: "archive_ended", ms: now - archive.requestedAt, status });
  }
  return reached;
}
