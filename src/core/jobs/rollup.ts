import type { JobStatus } from "../../contract/job.ts";
import type { ArchiveDownload } from "../../contract/archive.ts";
import type { Status } from "../../contract/primitives.ts";
import { problemOf, type TaskProblem } from "@segmentation/protocol";
import { isDone, type ArchiveRecord, type JobState, type TaskRecord } from "./state.ts";

/** A problem as clients read it. */
const problemText = (problem: TaskProblem): string => `${problem.code}: ${problem.message}`;

/** A task's public state: `processing` from when the inference service took it. The states only go forward. */
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

/** A task's error, once it has ended: why it failed, or what a success could not serve. */
const taskError = (task: TaskRecord): string | null =>
  isDone(task) && task.problem !== null ? problemText(task.problem) : null;

const iso = (time: number): string => new Date(time).toISOString();

/** A job's status: section 2.3 of the specification. */
export function jobView(state: JobState): JobStatus {
  const { definition, tasks } = state;
  return {
    jobId: definition.jobId,
    type: definition.type,
    processingMode: definition.processingMode,
    status: jobStatus(tasks),
    totalItems: tasks.length,
    createdAt: iso(definition.createdAt),
    updatedAt: iso(state.updatedAt),
    error: jobError(tasks),
    tasks: tasks.map((task) => ({
      taskId: task.taskId,
      status: taskStatus(task),
      error: taskError(task),
    })),
  };
}

const POLL_SECONDS = { pending: 2, processing: 5 } as const;

/** An archive: section 2.6 of the specification, without the URL, which is signed anew for each answer. */
export function archiveView(jobId: string, archive: ArchiveRecord): Omit<ArchiveDownload, "downloadUrl"> {
  const { step } = archive;
  switch (step.at) {
    case "waiting":
    case "sent": {
      const begun = archive.attempts > 0 || (archive.messages ?? 0) > 0;
      const status = begun ? "processing" : "pending";
      return { jobId, status, expiresAt: null, retryAfterSeconds: POLL_SECONDS[status], error: null };
    }
    case "leased":
      return {
        jobId,
        status: "processing",
        expiresAt: null,
        retryAfterSeconds: POLL_SECONDS.processing,
        error: null,
      };
    case "ready":
      return { jobId, status: "ready", expiresAt: iso(step.expiresAt), retryAfterSeconds: null, error: null };
    case "failed":
      return { jobId, status: "failed", expiresAt: null, retryAfterSeconds: null, error: step.message };
  }
}
