/** State that decides an object's next alarm, in addition to its deadlines. */
export interface AlarmState {
  /** The time that the alarm is set for, epoch milliseconds; null if it is not set, or has gone off. */
  readonly setFor: number | null;
  /** The pause after a change until a passed deadline is handled again, in milliseconds. */
  readonly overdueMs: number;
  /** The time at which it is handled instead, if still to come, in epoch milliseconds. */
  readonly retryAt?: number;
}

/**
 * Returns the time of an object's one alarm after a change, epoch milliseconds: the first of its deadlines. Changes move the
 * alarm with its deadlines, and never postpone it otherwise. A due alarm stays: the platform may be up to a minute late. An alarm
 * for a passed deadline stays, too, or a busy object would never reach it.
 * @returns Infinity without a deadline
 */
export function alarmTime(
  deadlines: Iterable<number>,
  { setFor, overdueMs, retryAt = 0 }: AlarmState,
  now: number,
): number {
  if (setFor !== null && setFor <= now) return setFor;
  const overdueAt = retryAt > now ? retryAt : Math.min(now + overdueMs, setFor ?? Infinity);
  let first = Infinity;
  for (const deadline of deadlines) first = Math.min(first, deadline > now ? deadline : overdueAt);
  return first;
}
