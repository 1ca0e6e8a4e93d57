import type { JobStatus } from "../contract/job.ts";
import type { ArchiveDownload } from "../contract/archive.ts";
import { isoOf, type Status } from "../../shared/api/primitives.ts";
import { problemOf, type TaskProblem, type ProgressReport } from "@segmentation/protocol";
import {
  isDone,
  type ArchiveRecord,
  type JobState,
  type TaskRecord,
  type TaskProgress,
  type ArchiveEnd,
  type TaskEnd,
} from "./state.ts";
import type { JobReport } from "../contract/job-report.ts";
import { wakeTime, type Delivery } from "./delivery.ts";

/** A problem as clients see it. */
const problemText = (problem: TaskProblem): string => `${problem.code}: ${problem.message}`;

/** A task's public state: `processing` once the inference service has taken it. States only move forward. */
export function taskStatus(task: TaskRecord): Status {
  if (task.step.at === "success" || task.step.at === "failed") return task.step.at;
  return task.started ? "processing" : "queued";
}

/** `success` with at least one successful task, `failed` when all failed, once every task has ended. */
export function jobStatus(tasks: readonly TaskRecord[]): Status {
  if (tasks.every(isDone)) return tasks.some((task) => task.step.at === "success") ? "success" : "failed";
  return tasks.every((task) => taskStatus(task) === "queued") ? "queued" : "processing";
}

/** The job's own error, if it failed: that of its task if it has only one. */
export function jobError(tasks: readonly TaskRecord[]): string | null {
  if (jobStatus(tasks) !== "failed") return null;
  if (tasks.length === 1) return tasks[0]?.problem ? problemText(tasks[0].problem) : null;
  return problemText(problemOf("all_tasks_failed", { count: tasks.length }));
}

/** Returns a task's error, once it has ended: the cause of its failure, or the part that a success could not deliver. */
const taskError = (task: TaskRecord): string | null =>
  isDone(task) && task.problem !== null ? problemText(task.problem) : null;

/** A job's status: section 2.3 of the specification. */
export function jobView(state: JobState): JobStatus {
  const { definition, tasks } = state;
  return {
    jobId: definition.jobId,
    type: definition.type,
    processingMode: definition.processingMode,
    status: jobStatus(tasks),
    totalItems: tasks.length,
    createdAt: isoOf(definition.createdAt),
    updatedAt: isoOf(state.updatedAt),
    error: jobError(tasks),
    tasks: tasks.map((task) => ({
      taskId: task.taskId,
      status: taskStatus(task),
      error: taskError(task),
    })),
    ...(definition.continues !== undefined && { continues: definition.continues }),
  };
}

/** Returns a job's request. Events and webhooks leave it out, because they would repeat it each time. */
export function askedOf({ definition }: JobState): Pick<JobStatus, "prompts" | "refines"> {
  const { type, prompts } = definition;
  const refines =
    type === "image" ? (definition.regions?.flatMap((region) => region.refines ?? []) ?? []) : [];
  return { ...(prompts.length > 0 && { prompts: [...prompts] }), ...(refines.length > 0 && { refines }) };
}

const POLL_SECONDS = { pending: 2, processing: 5 } as const;

/** An archive: section 2.6 of the specification, without the URL, which is signed for each answer. */
export function archiveView(jobId: string, archive: ArchiveRecord): Omit<ArchiveDownload, "downloadUrl"> {
  const { step } = archive;
  switch (step.at) {
    case "waiting":
    case "sent":
    case "leased": {
      const begun = step.at === "leased" || archive.attempts > 0 || (archive.messages ?? 0) > 0;
      const status = begun ? "processing" : "pending";
      return { jobId, status, expiresAt: null, retryAfterSeconds: POLL_SECONDS[status], error: null };
    }
    case "ready":
      return {
        jobId,
        status: "ready",
        expiresAt: isoOf(step.expiresAt),
        retryAfterSeconds: null,
        error: null,
      };
    case "failed":
      return { jobId, status: "failed", expiresAt: null, retryAfterSeconds: null, error: step.message };
  }
}

const share = ({ done, total }: ProgressReport): number => Math.min(done / total, 1);

/** The progress reported by the holder of `lease`; reports of an earlier lease do not count. */
const reported = (task: TaskRecord, lease: number): TaskProgress | null =>
  task.progress?.lease === lease ? task.progress : null;

/** Returns the progress after a report by the holder of `lease`: within one lease it never falls. */
export function latestProgress(
  task: TaskRecord,
  lease: number,
  { done, total }: ProgressReport,
): TaskProgress {
  const before = reported(task, lease);
  return before !== null && share(before) > share({ done, total }) ? before : { lease, done, total };
}

function taskShare(task: TaskRecord): number {
  if (isDone(task)) return 1;
  const progress = task.step.at === "leased" ? reported(task, task.step.lease) : null;
  return progress === null ? 0 : share(progress);
}

/** Added before rounding down, because a sum of binary fractions may fall just short of its hundredth. */
const ROUNDING = 1e-9;

/**
 * Returns a job's progress, in whole hundredths, rounded down: the mean over its tasks. An ended task counts as 1, a leased one
 * by its holder's reports. The result is 1 only when every task has ended. It falls when an attempt fails, because the next one
 * starts over.
 */
export function jobProgress(tasks: readonly TaskRecord[]): number {
  if (tasks.every(isDone)) return 1;
  const sum = tasks.reduce((so, task) => so + taskShare(task), 0);
  return Math.min(Math.floor((sum / tasks.length) * 100 + ROUNDING), 99) / 100;
}

const wayOf = (work: Delivery<TaskEnd | ArchiveEnd>) => ({
  at: work.step.at,
  lease: "lease" in work.step ? work.step.lease : null,
  until: wakeTime(work),
  attempts: work.attempts,
});

/** Returns a job as an operator sees it: the position of each piece of work, and nothing that the account sent or received. */
export function jobReport(
  state: JobState,
  alarmAt: number | null,
  waiters: { readonly waits: number; readonly streams: number },
): JobReport {
  const { definition, phase, updatedAt, version, projected, unlistedAt, archive } = state;
  const { jobId, accountId, type, lane, createdAt } = definition;
  return {
    jobId,
    accountId,
    type,
    lane,
    phase,
    status: jobStatus(state.tasks),
    error: jobError(state.tasks),
    createdAt,
    updatedAt,
    version,
    projected,
    unlistedAt,
    alarmAt,
    ...waiters,
    tasks: state.tasks.map((task) => ({
      taskId: task.taskId,
      status: taskStatus(task),
      ...wayOf(task),
      sends: task.sends,
      refusals: task.refusals,
      failedAt: task.failedAt ?? null,
      problem: task.problem?.code ?? null,
    })),
    archive: archive && wayOf(archive),
  };
}
