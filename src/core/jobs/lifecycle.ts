import { isDone, type JobState } from "./state.ts";
import { takesPlace, wakeTime } from "./delivery.ts";
import { givesUpAt, lateWritesMs, type JobPolicy } from "./policy.ts";
import { archiveUploads, givenUp } from "./archive.ts";
import { cancelTasks } from "./tasks.ts";

/**
 * What the list and the ledger say of a job: it is `listed`; it was `withdrawn` on purpose, which the ledger's void entry
 * tells; it was accepted and is `settled` without a row, because it was deleted or is past its retention; or it is `missing`:
 * never listed, or lost, as by a restore of an older database.
 */
export type Standing = "listed" | "withdrawn" | "settled" | "missing";

/** How often an accepted job that the list has lost is pushed again, and told of. */
const UNLISTED_RETRY_MS = 4 * 3_600_000;

/** When the projection is due, epoch milliseconds; null while the list has it. */
export function pushDueAt(state: JobState): number | null {
  if (state.projected >= state.version) return null;
  return state.unlistedAt === null ? state.updatedAt : state.unlistedAt + UNLISTED_RETRY_MS;
}

/**
 * Whether the list has confirmed the job's end, and so its settlement: one that is not there now was lost. What the list
 * confirmed of a job under way was no settlement.
 */
export const isEndConfirmed = (state: JobState): boolean =>
  state.tasks.every(isDone) && state.projected >= state.version;

/**
 * The job after a push of its projection `version`. A job that was withdrawn on purpose, while this object could not be
 * reached, goes. An accepted job that is missing stays with all it has: a list that lost it must not cost its outputs.
 */
export function pushed(state: JobState, version: number, standing: Standing, now: number): JobState {
  switch (standing) {
    case "listed":
      return { ...state, projected: version, unlistedAt: null };
    case "withdrawn":
      return { ...state, phase: "withdrawn" };
    case "settled":
    case "missing":
      // A job that is being forgotten is struck from the list on purpose.
      return state.phase === "running" ? { ...state, unlistedAt: now } : state;
  }
}

/** What becomes of a job that was written down and never heard of its acceptance: only what is listed was accepted. */
export const decided = (state: JobState, standing: Standing): JobState => ({
  ...state,
  phase: standing === "listed" ? "running" : "withdrawn",
});

/** How soon something overdue is tried again: it was tried without success, or is being tried. */
const RETRY_MS = 5_000;

/**
 * When the job next needs its alarm, epoch milliseconds, always in the future: the platform loses an alarm that is set
 * to now while one runs, and an alarm a moment later would spin for as long as a database is away. There is always a
 * next alarm: the last is the purge at the end of the retention.
 */
export function nextWake(state: JobState, policy: JobPolicy, now: number): number {
  let next = Infinity;
  for (const time of wakeTimes(state, policy, now)) next = Math.min(next, time > now ? time : now + RETRY_MS);
  return next;
}

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
    // A task that is due but outside a full window needs no alarm of its own: the one that makes room wakes it.
    if (takesPlace(task, now) || inWindow.length < policy.window) yield time;
    if (task.step.at !== "leased") yield givesUpAt(task, createdAt, policy);
  }
  if (state.archive !== null) {
    yield state.archive.step.at === "ready"
      ? state.archive.step.expiresAt
      : (wakeTime(state.archive) ?? Infinity);
  }
}

/**
 * A job that is to be forgotten: past its retention, deleted by its account, or with an account that is erased. What is under
 * way is cancelled first. What was accepted has expired, and what it used stays settled; what never was is withdrawn.
 */
export function forgotten(state: JobState, now: number): JobState {
  if (state.phase === "prepared") return { ...state, phase: "withdrawn" };
  if (state.phase !== "running") return state;
  const { state: ended } = cancelTasks(state, now);
  const alone = ended.archive === null ? ended : givenUp(ended, ended.archive);
  return { ...alone, phase: "expired" };
}

/**
 * Whether something may still be written into the bucket for a job that is being forgotten: by a holder whose lease has ended
 * and whose URLs are still good, or by an archive's builder that has not noticed. Nobody gets a new lease or URL any more.
 */
export function hasLateWriters(state: JobState, policy: JobPolicy, now: number): boolean {
  const { lastLease, tasks, archive, updatedAt } = state;
  if (lastLease === 0) return false;
  const isQuiet = tasks.every(isDone) && archive === null && archiveUploads(state).length === 0;
  return !isQuiet || now < updatedAt + lateWritesMs(policy);
}
