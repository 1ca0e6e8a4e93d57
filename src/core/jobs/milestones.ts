import { jobStatus, archiveView, jobView } from "./rollup.ts";
import { archiveEnd, hasEnded, type JobState, type TaskRecord, type NotedEvent } from "./state.ts";
import type { ArchiveEventData, WebhookEvent, WebhookEventType } from "../../contract/webhook.ts";

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

/** The event that a milestone is; null if endpoints are not told of it. */
function typeOf({ event, ...reached }: Milestone): NotedEvent["type"] | null {
  const hasFailed = "status" in reached && reached.status === "failed";
  if (event === "job_ended") return hasFailed ? "job.failed" : "job.succeeded";
  if (event === "archive_ended") return hasFailed ? "archive.failed" : "archive.ready";
  return null;
}

/** An archive changes after its end: it expires, or is asked for again. So its event keeps how it was. */
function archiveAtItsEnd(
  { definition, archive }: JobState,
  type: WebhookEventType,
): { archive?: ArchiveEventData } {
  return archive !== null && type.startsWith("archive.")
    ? { archive: archiveView(definition.jobId, archive) }
    : {};
}

/**
 * The job with the events that these milestones of it are: they are written down in the same turn as what happened. A job that
 * is being forgotten tells nothing.
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
    return type === null ? [] : [{ id: newEventId(), type, at: now, ...archiveAtItsEnd(state, type) }];
  });
  return noted.length === 0 ? state : { ...state, events: [...(state.events ?? []), ...noted] };
}

/** The job without the events that every endpoint has, or that nobody wants. */
export function withoutEvents(state: JobState, told: readonly NotedEvent[]): JobState {
  const { events = [], ...rest } = state;
  const left = events.filter((event) => told.every(({ id }) => id !== event.id));
  return left.length === 0 ? rest : { ...rest, events: left };
}

/** What an event tells an endpoint. The status of a job that has ended does not change any more. */
export function eventOf(state: JobState, { type, at, archive }: NotedEvent): WebhookEvent {
  const timestamp = new Date(at).toISOString();
  if (type === "job.succeeded" || type === "job.failed") return { type, timestamp, data: jobView(state) };
  if (archive === undefined) throw new Error("an archive's event was kept without the archive");
  return { type, timestamp, data: archive };
}
