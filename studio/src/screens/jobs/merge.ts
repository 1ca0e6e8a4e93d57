/** What a list of jobs has so far. */
export interface Listed<Job extends { readonly jobId: string }> {
  /** The newest first. */
  readonly jobs: readonly Job[];
  /** Where the list goes on; null if it is whole. */
  readonly nextToken: string | null;
}

/**
 * A list after its first page was asked for again: the page is what is true now, and behind its last job follows what was
 * there before. Where the two don't meet, because more has come or gone than a page holds, the page alone is left.
 */
export function refreshed<Job extends { readonly jobId: string }>(
  before: Listed<Job>,
  page: Listed<Job>,
): Listed<Job> {
  const last = page.jobs.at(-1);
  const meets = before.jobs.findIndex(({ jobId }) => jobId === last?.jobId);
  if (meets < 0 || page.nextToken === null) return page;
  return { jobs: [...page.jobs, ...before.jobs.slice(meets + 1)], nextToken: before.nextToken };
}

/** A list with its next page. What was created meanwhile shifts nothing, because the pages go by a cursor. */
export const continued = <Job extends { readonly jobId: string }>(
  before: Listed<Job>,
  page: Listed<Job>,
): Listed<Job> => ({ jobs: [...before.jobs, ...page.jobs], nextToken: page.nextToken });
