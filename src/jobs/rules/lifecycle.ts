import { alarmTime } from "../../shared/alarm.ts";
import { isDone, type JobState } from "./state.ts";
import { takesPlace, wakeTime } from "./delivery.ts";
import { givesUpAt, lateWritesMs, sendRetryDelay, type JobPolicy } from "./policy.ts";
import { archiveUploads, givenUp } from "./archive.ts";
import { cancelTasks } from "./tasks.ts";

/**
 * A job's state in the list and the ledger: `listed`; deliberately `withdrawn`, as the ledger's void entry shows; accepted and
 * `settled` without a row, because it was deleted or is past its retention; or `missing`: never listed, or lost, for example by
 * the restore of an older database.
 */
export type AcceptanceState = "listed" | "withdrawn" | "settled" | "missing";

/** Interval at which an accepted job that the list has lost is pushed again, and reported. */
const UNLISTED_RETRY_MS = 4 * 3_600_000;

/**
 * Time for which the list may show a job as queued that has begun: most pictures end before, and so need one push instead of two.
 */
export const BEGIN_SHOWN_MS = 5_000;

/** Returns the time at which the projection is due, epoch milliseconds; null while the list has it. */
export function pushDueAt(state: JobState): number | null {
  if (state.projected >= state.version) return null;
  if (state.unlistedAt !== null) return state.unlistedAt + UNLISTED_RETRY_MS;
  return state.updatedAt + (state.tasks.every(isDone) ? 0 : BEGIN_SHOWN_MS);
}

/** Returns true if the list has confirmed the job's end, and so its settlement: a settlement that is missing now was lost. */
export const isEndConfirmed = (state: JobState): boolean =>
  state.tasks.every(isDone) && state.projected >= state.version;

/**
 * Returns the job after a push of its projection `version`. Forgets a job that was withdrawn while this object was unreachable.
 * Keeps all of an accepted job that is missing: losing its row must not cost its outputs.
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

/** Returns the outcome for a job that was stored but never told of its acceptance: it was accepted only if it is listed. */
export const decided = (state: JobState, acceptance: AcceptanceState): JobState => ({
  ...state,
  phase: acceptance === "listed" ? "running" : "withdrawn",
});

/** Time after which a message counts as lost: its receiver has neither confirmed nor refused it, or the object died meanwhile. */
const UNCONFIRMED_MS = 60_000;

/** Returns the job after a failure to send, with the time of the next try; keeps a time that has not come yet. */
export function sendFailed(state: JobState, random: number, now: number): JobState {
  const { tries, at } = state.retry ?? { tries: 0, at: 0 };
  if (now < at) return state;
  return { ...state, retry: { tries: tries + 1, at: now + sendRetryDelay(tries, random) } };
}

/** Returns the job after it has sent everything but its events: as long as it has events, they may be the failing part. */
export function allSent(state: JobState): JobState {
  const { retry, ...rest } = state;
  return retry === undefined || state.events !== undefined ? state : rest;
}

/**
 * Returns the time at which the job next needs its alarm, epoch milliseconds, by `alarmTime`. Overdue work waits for a minute or
 * its retry: an alarm a moment later would spin while the database is down. There is always a next alarm: the last one is the
 * purge at the end of the retention.
 * @param setFor the time that the alarm is set for; null if it is not set, or has gone off
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
    // A due task that does not fit the window needs no alarm: the event that makes room wakes it.
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
 * Forgets a job: past its retention, deleted by its account, or of an account that is being erased. Cancels its unfinished tasks
 * first. An accepted job expires, and its usage stays settled; any other is withdrawn.
 */
export function forgotten(state: JobState, now: number): JobState {
  if (state.phase === "prepared") return { ...state, phase: "withdrawn" };
  if (state.phase !== "running") return state;
  const { state: ended } = cancelTasks(state, now);
  const withoutUpload = ended.archive === null ? ended : givenUp(ended, ended.archive);
  return { ...withoutUpload, phase: "expired" };
}

/**
 * Returns true if a holder may still write to the bucket for a job that is being forgotten: its lease has ended but its URLs are
 * still valid, or it builds an archive and has not noticed. Nothing issues a new lease or URL.
 */
export function hasLateWriters(state: JobState, policy: JobPolicy, now: number): boolean {
  const { lastLease, tasks, archive, updatedAt } = state;
  if (lastLease === 0) return false;
  const isQuiet = tasks.every(isDone) && archive === null && archiveUploads(state).length === 0;
  return !isQuiet || now < updatedAt + lateWritesMs(policy);
}
