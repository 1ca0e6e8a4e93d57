import type { JobProgress } from "../../contract/job-event.ts";
import type { JobStatus } from "../../contract/job.ts";
import { jobProgress, jobView } from "./rollup.ts";
import { hasEnded, type JobState } from "./state.ts";

/** An event of a job's stream. `id` is the job's version; a client that names it as its last goes on from there. */
export type JobEvent =
  | { readonly event: "status"; readonly id: number | null; readonly data: JobStatus }
  | { readonly event: "progress"; readonly id: null; readonly data: JobProgress }
  | { readonly event: "end"; readonly id: number; readonly data: JobStatus };

/** What a stream has told so far; times are epoch milliseconds. */
export interface Told {
  /** The last status, as JSON; null before the first. */
  readonly status: string | null;
  readonly progress: number;
  readonly progressAt: number;
  readonly ended: boolean;
}

/** A stream at its begin. A job's progress begins at 0, so that needs no telling. */
export const NOTHING_TOLD: Told = { status: null, progress: 0, progressAt: -Infinity, ended: false };

/** At most four events of progress in any second. */
export const PROGRESS_EVERY_MS = 250;

/** What follows from a look at a job: events to tell now, and when to look again if nothing changes; null if not before a change. */
export interface Telling {
  readonly events: readonly JobEvent[];
  readonly told: Told;
  readonly lookAt: number | null;
}

/**
 * What a stream that has told `told` tells of the job as it is now. A stream begins with the job's status, and tells each
 * further one that differs. The last status is told by `end` alone, under an id that no other event has: whoever names it has
 * heard the end. So the first event of a stream that begins after the end has no id.
 */
export function nextEvents(told: Told, state: JobState, now: number): Telling {
  if (told.ended) return { events: [], told, lookAt: null };
  const data = jobView(state);
  const status = JSON.stringify(data);
  const isNews = status !== told.status;
  if (hasEnded(state.tasks)) {
    const first: JobEvent[] = told.status === null ? [{ event: "status", id: null, data }] : [];
    return {
      events: [...first, { event: "end", id: state.version, data }],
      told: { ...told, status, ended: true },
      lookAt: null,
    };
  }
  const events: JobEvent[] = isNews ? [{ event: "status", id: state.version, data }] : [];
  const progress = jobProgress(state.tasks);
  if (progress === told.progress) return { events, told: { ...told, status }, lookAt: null };
  const dueAt = told.progressAt + PROGRESS_EVERY_MS;
  if (now < dueAt) return { events, told: { ...told, status }, lookAt: dueAt };
  events.push({ event: "progress", id: null, data: { progress } });
  return { events, told: { ...told, status, progress, progressAt: now }, lookAt: null };
}

/** Whether a client that names `lastEventId` has heard the job's `end`. */
export const hasHeardEnd = (state: JobState, lastEventId: string | null): boolean =>
  hasEnded(state.tasks) && lastEventId === String(state.version);

/** Events as a stream has them (HTML Standard, 9.2 "Server-sent events"). JSON has no line breaks. */
export const textOf = (events: readonly JobEvent[]): string =>
  events
    .map(({ event, id, data }) => {
      const name = id === null ? "" : `id: ${id}\n`;
      return `${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join("");

/** A comment, which clients skip: it keeps proxies from closing a quiet connection. */
export const COMMENT_TEXT = ":\n\n";
