import { isInFlight, wakeTime } from "./delivery.ts";
import type { JobPolicy } from "./policy.ts";
import type { JobState } from "./state.ts";

/** How soon an effect that was not confirmed is tried again. */
const EFFECT_RETRY_MS = 5_000;

/**
 * When the job next needs its alarm, epoch milliseconds, at least `now + 1`: the platform loses an alarm that is
 * set to now while one runs. There is always one: the last is the purge at the end of the retention.
 */
export function nextWake(state: JobState, policy: JobPolicy, now: number): number {
  return Math.max(now + 1, Math.min(...wakeTimes(state, policy, now)));
}

function* wakeTimes(state: JobState, policy: JobPolicy, now: number): Generator<number> {
  const { createdAt } = state.definition;
  yield createdAt + policy.retentionMs;
  if (state.phase === "prepared") yield createdAt + policy.prepareMs;
  if (state.phase === "withdrawn") yield now + EFFECT_RETRY_MS;
  if (state.phase !== "running") return;
  if (state.projected < state.version) yield now + EFFECT_RETRY_MS;

  const room = state.tasks.filter(isInFlight).length < policy.window;
  for (const task of state.tasks) {
    const time = wakeTime(task);
    if (time === null) continue;
    if (task.step.at !== "waiting") yield time;
    // A task outside the window needs no alarm of its own: the one that makes room wakes it.
    else if (room) yield time;
    // Past it a leased task ends by its own deadline, which is yielded above.
    if (createdAt + policy.giveUpMs > now) yield createdAt + policy.giveUpMs;
  }
  if (state.archive !== null) {
    yield state.archive.step.at === "ready"
      ? state.archive.step.expiresAt
      : (wakeTime(state.archive) ?? Infinity);
  }
}
