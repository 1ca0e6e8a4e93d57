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
