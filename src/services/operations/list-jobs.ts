import type { JobList, JobSummary, ListJobsQuery } from "../../contract/job.ts";
import { decodeCursor, encodeCursor } from "../../core/lib/signed-token.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import type { JobRow } from "../../stores/jobs/jobs-page.ts";
import type { Platform } from "../../platform.ts";

const summary = (row: JobRow): JobSummary => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
  updatedAt: new Date(row.updatedAt).toISOString(),
});

/** listJobs: one page of the account's jobs, newest first; a cursor names its last job. @throws ServiceError invalid_cursor. */
export async function listJobs(platform: Platform, account: Account, query: ListJobsQuery): Promise<JobList> {
  const secret = platform.settings.SIGNING_SECRET;
  const list = [account.accountId, query.jobId ?? null, query.mode ?? null, query.status ?? null];
  const before = query.nextToken === undefined ? null : await decodeCursor(secret, list, query.nextToken);
  if (query.nextToken !== undefined && before === null) throw new ServiceError("invalid_cursor");

  // One more than requested tells whether there is another page.
  const rows = await platform.jobs.list(account.accountId, { ...query, limit: query.limit + 1 }, before);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const more = rows.length > page.length && last !== undefined;
  return {
    items: page.map(summary),
    nextToken: more ? await encodeCursor(secret, list, last.jobId) : null,
  };
}
