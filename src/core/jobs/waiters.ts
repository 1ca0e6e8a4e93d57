/** The longest wait that a client may ask for, seconds. */
export const MOST_WAIT_SECONDS = 60;

/** The preferences of a header: what stands between commas that are in no quoted text. */
const PREFERENCES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const WAIT = /^\s*wait\s*(?:[=;]|$)/i;
const WAIT_VALUE = /^[^=;]*=\s*("?)(\d+)\1\s*(?:;|$)/;

/**
 * How many seconds a client would rather wait for the end than be answered at once, by its header Prefer (RFC 7240, 2 and 4.3):
 * from 1 to 60, where a larger number counts as 60. Null without such a preference, or with one that is no number from 1 on. The
 * first preference of this name counts.
 */
export function waitSeconds(prefer: string | undefined): number | null {
  const preference = prefer?.match(PREFERENCES)?.find((text) => WAIT.test(text));
  const seconds = Number(preference === undefined ? 0 : WAIT_VALUE.exec(preference)?.[2]);
  return seconds >= 1 ? Math.min(seconds, MOST_WAIT_SECONDS) : null;
}

/** How many streams of events may be open at once. */
export const MOST_STREAMS = { job: 10, account: 100 } as const;

/** How long what a JobObject has said of its streams holds: it says it again well before. One that died says nothing more. */
export const STREAMS_HOLD_MS = 90_000;
export const STREAMS_SAID_EVERY_MS = 30_000;

/** The open streams of an account: of each job how many, and until when (epoch ms) that holds. */
export type OpenStreams = Readonly<Record<string, { readonly count: number; readonly until: number }>>;

/** The streams of which is still known that they are open. */
export const stillOpen = (open: OpenStreams, now: number): OpenStreams =>
  Object.fromEntries(Object.entries(open).filter(([, { until }]) => until > now));

/**
 * The account's streams after a job has said how many of them are its own; what it said before no longer counts. Not admitted, and so
 * not noted, are more than before if the account would have too many.
 */
export function streamsSaid(
  open: OpenStreams,
  jobId: string,
  count: number,
  now: number,
): { readonly open: OpenStreams; readonly admitted: boolean } {
  const known = stillOpen(open, now);
  const { [jobId]: before, ...others } = known;
  const ofOthers = Object.values(others).reduce((sum, job) => sum + job.count, 0);
  if (count > (before?.count ?? 0) && ofOthers + count > MOST_STREAMS.account)
    return { open: known, admitted: false };
  const own = count === 0 ? {} : { [jobId]: { count, until: now + STREAMS_HOLD_MS } };
  return { open: { ...others, ...own }, admitted: true };
}
