import type { JobProgress } from "../contract/job-event.ts";
import type { JobStatus } from "../contract/job.ts";
import { jobProgress, jobView } from "./rollup.ts";
import { hasEnded, type JobState } from "./state.ts";

/** An event of a job's stream. `id` is the job's version; a client that sends it as Last-Event-ID continues from there. */
export type JobEvent =
  | { readonly event: "status"; readonly id: number | null; readonly data: JobStatus }
  | { readonly event: "progress"; readonly id: null; readonly data: JobProgress }
  | { readonly event: "end"; readonly id: number; readonly data: JobStatus };

/** The events that a stream has sent so far; times are epoch milliseconds. */
export interface Sent {
  /** The last status, as JSON; null before the first. */
  readonly status: string | null;
  readonly progress: number;
  readonly progressAt: number;
  readonly ended: boolean;
}

/** A new stream. A job's progress starts at 0, which need not be sent. */
export const NOTHING_SENT: Sent = { status: null, progress: 0, progressAt: -Infinity, ended: false };

/** At most four progress events per second. */
const PROGRESS_EVERY_MS = 250;

/** The events to send now, and the time of the next check if nothing changes; null to wait for a change. */
export interface NextEvents {
  readonly events: readonly JobEvent[];
  readonly sent: Sent;
  readonly checkAt: number | null;
}

/**
 * The next events of a stream that has sent `sent`. A stream begins with the job's status, and sends each change of it. The
 * last status comes as `end` only, with an id that no other event has: a client that sends this id has received the end. So
 * the first event of a stream that begins after the end has no id.
 */
export function nextEvents(sent: Sent, state: JobState, now: number): NextEvents {
  if (sent.ended) return { events: [], sent, checkAt: null };
  const data = jobView(state);
  const status = JSON.stringify(data);
  const isNew = status !== sent.status;
  if (hasEnded(state.tasks)) {
    const first: JobEvent[] = sent.status === null ? [{ event: "status", id: null, data }] : [];
    return {
      events: [...first, { event: "end", id: state.version, data }],
      sent: { ...sent, status, ended: true },
      checkAt: null,
    };
  }
  const events: JobEvent[] = isNew ? [{ event: "status", id: state.version, data }] : [];
  const progress = jobProgress(state.tasks);
  if (progress === sent.progress) return { events, sent: { ...sent, status }, checkAt: null };
  const dueAt = sent.progressAt + PROGRESS_EVERY_MS;
  if (now < dueAt) return { events, sent: { ...sent, status }, checkAt: dueAt };
  events.push({ event: "progress", id: null, data: { progress } });
  return { events, sent: { ...sent, status, progress, progressAt: now }, checkAt: null };
}

/** Returns true if a client with this Last-Event-ID has received the job's `end`. */
export const hasReceivedEnd = (state: JobState, lastEventId: string | null): boolean =>
  hasEnded(state.tasks) && lastEventId === String(state.version);

/** Events in the stream's format (HTML Standard, 9.2 "Server-sent events"). JSON has no line breaks. */
export const textOf = (events: readonly JobEvent[]): string =>
  events
    .map(({ event, id, data }) => {
      const name = id === null ? "" : `id: ${id}\n`;
      return `${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join("");

/** A comment, which clients skip: it keeps proxies from closing an idle connection. */
export const COMMENT_TEXT = ":\n\n";
