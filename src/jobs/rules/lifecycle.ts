import { alarmTime } from "../../shared/alarm.ts";
import { isDone, type JobState } from "./state.ts";
import { takesPlace, wakeTime } from "./delivery.ts";
import { givesUpAt, lateWritesMs, sendRetryDelay, type JobPolicy } from "./policy.ts";
import { archiveUploads, givenUp } from "./archive.ts";
import { cancelTasks } from "./tasks.ts";

/**
 * What the list and the ledger say about a job: it is `listed`; it was deliberately `withdrawn`, as the ledger's void entry
 * shows; it was accepted and is `settled` without a row, because it was deleted or is past its retention; or it is
 * `missing`: never listed, or lost, as when an older database is restored.
 */
export type AcceptanceState = "listed" | "withdrawn" | "settled" | "missing";

/** How often an accepted job that the list has lost is pushed again, and reported. */
const UNLISTED_RETRY_MS = 4 * 3_600_000;

/** How long the list may show a job as queued that has begun: most pictures end before, and are pushed once and not twice. */
export const BEGIN_SHOWN_MS = 5_000;

/** When the projection is due, epoch milliseconds; null while the list has it. */
export function pushDueAt(state: JobState): number | null {
  if (state.projected >= state.version) return null;
  if (state.unlistedAt !== null) return state.unlistedAt + UNLISTED_RETRY_MS;
  return state.updatedAt + (state.tasks.every(isDone) ? 0 : BEGIN_SHOWN_MS);
}

/**
 * Whether the list has confirmed the job's end, and so its settlement: a settlement that is missing now was lost. What the
 * list confirmed about an unfinished job was not a settlement.
 */
export const isEndConfirmed = (state: JobState): boolean =>
  state.tasks.every(isDone) && state.projected >= state.version;

/**
 * The job after a push of its projection `version`. A job that was deliberately withdrawn while this object could not be
 * reached goes. An accepted job that is missing keeps everything: losing its row must not cost its outputs.
 */
export function pushed(state: JobState, version: number, acceptance: AcceptanceState, now: number): JobState {
  switch (acceptance) {
    case "listed":
      return { ...state, projected: version, unlistedAt: null };
    case "withdrawn":
      return { ...state, phase: "withdrawn" };
    case "settled":
    case "missing":
      // A job that is being forgotten is deliberately off the list.
      return state.phase === "running" ? { ...state, unlistedAt: now } : state;
  }
}

/** The outcome for a job that was stored and never notified of its acceptance: it was accepted only if it is listed. */
export const decided = (state: JobState, acceptance: AcceptanceState): JobState => ({
  ...state,
  phase: acceptance === "listed" ? "running" : "withdrawn",
});

/** When what is being sent counts as lost: its receiver has neither confirmed nor refused it, or the object died meanwhile. */
const UNCONFIRMED_MS = 60_000;

/** The job after something could not be sent, with a time for the next try; the time stands if it has not come yet. */
export function sendFailed(state: JobState, random: number, now: number): JobState {
  const { tries, at } = state.retry ?? { tries: 0, at: 0 };
  if (now < at) return state;
  return { ...state, retry: { tries: tries + 1, at: now + sendRetryDelay(tries, random) } };
}

/** The job after everything was sent but its events: while there are any, they may be what fails. */
export function allSent(state: JobState): JobState {
  const { retry, ...rest } = state;
  return retry === undefined || state.events !== undefined ? state : rest;
}

/**
 * When the job next needs its alarm, epoch milliseconds, by `alarmTime`. What is overdue waits for a minute or its retry: an alarm
 * a moment later would spin for as long as the database is down. There is always a next alarm: the last one is the purge at
 * the end of the retention.
 * @param setFor for when the alarm is set; null if it is not set, or has gone off
 */
export const nextWake = (state: JobState, policy: JobPolicy, setFor: number | null, now: number): number =>
  alarmTime(
    wakeTimes(state, policy, now),
    { setFor, overdueMs: UNCONFIRMED_MS, retryAt: state.retry?.at ?? 0 },
    now,
  );

function* wakeTimes(state: JobState, policy: JobPolicy, now: number): Generator<number> {
  if (state.phase === "withdrawn" || state.phase === "expired") {
    yield state.purgeAgainAt ?? state.updatedAt;
    return;
  }
  const { createdAt } = state.definition;
  yield createdAt + policy.retentionMs;
  if (state.phase === "prepared") {
    yield createdAt + policy.prepareMs;
    return;
  }
  yield pushDueAt(state) ?? Infinity;
  for (const { at } of state.events ?? []) yield at;

  const inWindow = state.tasks.filter((task) => takesPlace(task, now));
  for (const task of state.tasks) {
    const time = wakeTime(task);
    if (time === null) continue;
    // A task that is due but does not fit the window needs no alarm of its own: whatever makes room wakes it.
    if (takesPlace(task, now) || inWindow.length < policy.window) yield time;
    if (task.step.at !== "leased") yield givesUpAt(task, state, policy);
  }
  if (state.archive !== null) {
    yield state.archive.step.at === "ready"
      ? state.archive.step.expiresAt
      : (wakeTime(state.archive) ?? Infinity);
  }
}

/**
 * A job that is to be forgotten: past its retention, deleted by its account, or of an account that is being erased. Whatever
 * is unfinished is canceled first. An accepted job expires, and what it used stays settled; any other is withdrawn.
 */
export function forgotten(state: JobState, now: number): JobState {
  if (state.phase === "prepared") return { ...state, phase: "withdrawn" };
  if (state.phase !== "running") return state;
  const { state: ended } = cancelTasks(state, now);
  const withoutUpload = ended.archive === null ? ended : givenUp(ended, ended.archive);
  return { ...withoutUpload, phase: "expired" };
}

/**
 * Whether something may still be written to the bucket for a job that is being forgotten: by a holder whose lease has ended
 * and whose URLs are still valid, or by an archive's builder that has not noticed. No new lease or URL is issued.
 */
export function hasLateWriters(state: JobState, policy: JobPolicy, now: number): boolean {
  const { lastLease, tasks, archive, updatedAt } = state;
  if (lastLease === 0) return false;
  const isQuiet = tasks.every(isDone) && archive === null && archiveUploads(state).length === 0;
  return !isQuiet || now < updatedAt + lateWritesMs(policy);
}
