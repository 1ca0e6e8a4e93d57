/**
 * Time after its first try within which an event may be sent again, in milliseconds. Stripe remembers an identifier for 24 hours:
 * an event sent again later could be counted twice.
 */
export const RESENT_WITHIN_MS = 20 * 3_600_000;

/** Maximum age of the use in an untried event, in milliseconds. Stripe accepts timestamps of the last 35 days. */
export const SENT_WITHIN_MS = 34 * 86_400_000;

/**
 * Time that metered use may wait before an alarm, in milliseconds. Stripe finalizes an invoice an hour after its period has
 * ended; use reported later is not on it.
 */
export const LAG_ALARM_MS = 30 * 60_000;

/** The length of a metering window, in milliseconds: one account's use in one hour of UTC is one event. */
export const WINDOW_MS = 3_600_000;

/** Delay within which late use still counts as of the job's end, in milliseconds: its invoice is still a draft then. */
const LATE_MS = 30 * 60_000;

/** The window of metered use. Times are epoch milliseconds. */
export interface MeteringWindow {
  /** The time at which the use counts as used. */
  readonly usedAt: number;
  /** The start of the window. */
  readonly from: number;
  /** The window's hour of UTC, such as `2026-11-22T10`. */
  readonly name: string;
}

/**
 * The window for the use of a job that ended at `endedAt` and is settled at `writtenAt`. Use that is written late counts as used
 * when it is written, because the invoice of its real time may be final.
 */
export function meteringWindow(endedAt: number, writtenAt: number): MeteringWindow {
  const usedAt = writtenAt - endedAt < LATE_MS ? endedAt : writtenAt;
  const from = usedAt - (usedAt % WINDOW_MS);
  return { usedAt, from, name: new Date(from).toISOString().slice(0, "2026-11-22T10".length) };
}
