/** State that decides about an object's next alarm, in addition to its deadlines. */
export interface AlarmState {
  /** For when the alarm is set, epoch milliseconds; null if it is not set, or has gone off. */
  readonly setFor: number | null;
  /** The pause after a change until a passed deadline is attended to again, in milliseconds. */
  readonly overdueMs: number;
  /** The time at which it is attended to instead, if still to come, in epoch milliseconds. */
  readonly retryAt?: number;
}

/**
 * When an object's one alarm goes off after a change of the object, epoch milliseconds: at the first of its deadlines. Changes
 * move the alarm with its deadlines, and put it off in no other way. An alarm that is due stays: the platform may be up to a
 * minute late. One that is set for a deadline that has passed stays, too, or a busy object would never come to it.
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
