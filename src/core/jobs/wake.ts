import { takesPlace, wakeTime } from "./delivery.ts";
import { pushDueAt } from "./listing.ts";
import { givesUpAt, type JobPolicy } from "./policy.ts";
import type { JobState } from "./state.ts";

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
