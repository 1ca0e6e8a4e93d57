import { jobStatus, archiveView, jobView } from "./rollup.ts";
import { archiveEnd, hasEnded, type JobState, type TaskRecord, type NotedEvent } from "./state.ts";
import { isoOf } from "../../shared/api/primitives.ts";
import type { ArchiveEventData, EndEvent } from "../contract/end-event.ts";

const hasStarted = (tasks: readonly TaskRecord[]): boolean => tasks.some((task) => task.started);

/**
 * A milestone that a job has reached with a change: its first task at the inference service, the end of its last task, the end of
 * an archive. `ms` counts from the job's acceptance, or from the request for the archive.
 */
export type Milestone =
  | { readonly event: "job_started"; readonly ms: number }
  | { readonly event: "job_ended" | "archive_ended"; readonly ms: number; readonly status: string };

/** The milestones between two states of a job, in order; the job's own are reached once in its life. */
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

/** The webhook event for a milestone; null if there is none. */
function typeOf({ event, ...reached }: Milestone): NotedEvent["type"] | null {
  const hasFailed = "status" in reached && reached.status === "failed";
  if (event === "job_ended") return hasFailed ? "job.failed" : "job.succeeded";
  if (event === "archive_ended") return hasFailed ? "archive.failed" : "archive.ready";
  return null;
}

/**
 * Returns a copy of the archive for its event, because an archive changes after its end: it expires, or is requested again. Empty
 * at the job's end.
 */
const archiveAtItsEnd = ({ definition, archive }: JobState): { archive?: ArchiveEventData } =>
  archive === null ? {} : { archive: archiveView(definition.jobId, archive) };

/**
 * Returns the job with the events for these milestones, stored in the same turn as the change. A job that is being forgotten has
 * no events.
 */
export function withEvents(
  state: JobState,
  reached: readonly Milestone[],
  newEventId: () => string,
  now: number,
): JobState {
  if (state.phase !== "running") return state;
  const noted = reached.flatMap((milestone): NotedEvent[] => {
    const type = typeOf(milestone);
    return type === null ? [] : [{ id: newEventId(), type, at: now, ...archiveAtItsEnd(state) }];
  });
  return noted.length === 0 ? state : { ...state, events: [...(state.events ?? []), ...noted] };
}

/** Returns the job without the events that every endpoint has received, or that no endpoint subscribes to. */
export function withoutEvents(state: JobState, delivered: readonly NotedEvent[]): JobState {
  const { events = [], ...rest } = state;
  const left = events.filter((event) => delivered.every(({ id }) => id !== event.id));
  return left.length === 0 ? rest : { ...rest, events: left };
}

/** An event as endpoints receive it. The status of a job that has ended no longer changes. */
export function eventOf(state: JobState, { type, at, archive }: NotedEvent): EndEvent {
  const timestamp = isoOf(at);
  if (type === "job.succeeded" || type === "job.failed") return { type, timestamp, data: jobView(state) };
  if (archive === undefined) throw new Error("an archive's event was kept without the archive");
  return { type, timestamp, data: archive };
}
