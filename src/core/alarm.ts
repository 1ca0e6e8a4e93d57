/** What decides about an object's next alarm besides its deadlines. */
export interface AlarmState {
  /** For when the alarm is set, epoch milliseconds; null if it is not set, or has gone off. */
  readonly setFor: number | null;
  /** How long after a change a deadline that has passed is attended to again, milliseconds. */
  readonly overdueMs: number;
  /** When it is attended to in place of that, if the time is still to come, epoch milliseconds. */
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
