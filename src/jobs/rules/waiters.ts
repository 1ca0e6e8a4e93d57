/** The longest wait that a client may ask for, seconds. */
export const MOST_WAIT_SECONDS = 60;

/** The preferences in a header, separated by commas outside a quoted string. */
const PREFERENCES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const WAIT = /^\s*wait\s*(?:[=;]|$)/i;
const WAIT_VALUE = /^[^=;]*=\s*("?)(\d+)\1\s*(?:;|$)/;

/**
 * Returns the seconds that a client prefers to wait for the end, by its header Prefer (RFC 7240, 2 and 4.3): from 1 to 60, where
 * a larger number counts as 60. Null without such a preference, or if its value is not a number of at least 1. The first
 * preference with this name counts.
 */
export function waitSeconds(prefer: string | undefined): number | null {
  const preference = prefer?.match(PREFERENCES)?.find((text) => WAIT.test(text));
  const seconds = Number(preference === undefined ? 0 : WAIT_VALUE.exec(preference)?.[2]);
  return seconds >= 1 ? Math.min(seconds, MOST_WAIT_SECONDS) : null;
}

/** Maximum numbers of open event streams. */
export const MOST_STREAMS = { job: 10, account: 100 } as const;

/**
 * Validity of a JobObject's report of its open streams. It repeats the report well before; an object that died stops reporting.
 */
export const STREAMS_HOLD_MS = 90_000;
export const STREAMS_REPORTED_EVERY_MS = 30_000;

/** The open streams of an account: for each job the number, and the time (epoch ms) until which its report is valid. */
export type OpenStreams = Readonly<Record<string, { readonly count: number; readonly until: number }>>;

/** The streams that are still known to be open. */
export const stillOpen = (open: OpenStreams, now: number): OpenStreams =>
  Object.fromEntries(Object.entries(open).filter(([, { until }]) => until > now));

/**
 * Returns the account's streams after a job's report, which replaces its previous report. Neither admits nor records an increase
 * that would exceed the account's limit.
 */
export function streamsReported(
  open: OpenStreams,
  jobId: string,
  count: number,
  now: number,
): { readonly open: OpenStreams; readonly admitted: boolean } {
  const known = stillOpen(open, now);
  const { [jobId]: previous, ...others } = known;
  const ofOthers = Object.values(others).reduce((sum, job) => sum + job.count, 0);
  if (count > (previous?.count ?? 0) && ofOthers + count > MOST_STREAMS.account)
    return { open: known, admitted: false };
  const own = count === 0 ? {} : { [jobId]: { count, until: now + STREAMS_HOLD_MS } };
  return { open: { ...others, ...own }, admitted: true };
}
