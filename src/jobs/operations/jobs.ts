import type { JobList, JobStatus, JobSummary, RetrieveJobQuery } from "../contract/job.ts";
import { isoOf } from "../../shared/api/primitives.ts";
import { ServiceError } from "../../shared/errors.ts";
import { isJobId } from "../../shared/ids.ts";
import type { FinishedPage, FinishedTask, JobAnswer } from "../rules/answers.ts";
import { log } from "../../shared/log.ts";
import { MOST_STREAMS } from "../rules/waiters.ts";
import { resultJson } from "../rules/result.ts";
import type { Platform } from "../../platform.ts";
import { jobEvents, statusAtEnd } from "../store/long-requests.ts";
import type { JobStub } from "../store/rpc.ts";
import type { JobRow } from "../store/jobs-page.ts";
import { boundAccount } from "../../accounts/operations/authenticate.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { pageOf } from "../../shared/api/page.ts";

/** Validity of a result's URLs. */
export const RESULT_SECONDS = 900;
/** Number of signed URLs that count as one request of the account's rate. */
const OUTPUTS_PER_REQUEST = 1_000;
const STREAM_RETRY_SECONDS = 30;

/** Returns the JobObject of a job id from a client. @throws ServiceError job_not_found if no job can have that id. */
export function jobObjectOf(platform: Platform, jobId: string): JobStub {
  if (!isJobId(jobId)) throw new ServiceError("job_not_found");
  return platform.jobObject(jobId);
}

const summary = ({ continues, ...row }: JobRow): JobSummary => ({
  ...row,
  createdAt: isoOf(row.createdAt),
  updatedAt: isoOf(row.updatedAt),
  ...(continues !== null && { continues }),
});

/** listJobs: one page of the account's jobs, newest first; a cursor names its last job. @throws ServiceError invalid_cursor. */
export async function listJobs({
  platform,
  account: { accountId },
  query,
}: OperationRequest<"listJobs">): Promise<JobList> {
  const { jobId, continues, mode, status } = query;
  const list = [
    accountId,
    jobId ?? null,
    mode ?? null,
    status ?? null,
    ...(continues === undefined ? [] : [continues]),
  ];
  const { items, nextToken } = await pageOf(
    platform,
    list,
    query,
    (before, limit) => platform.jobs.list(accountId, { ...query, limit }, before),
    (row) => row.jobId,
  );
  return { items: items.map(summary), nextToken };
}

/**
 * retrieveJob: at once, or with `waitSeconds` when the job has ended or that time has passed.
 * @throws ServiceError job_not_found, for another account's job as for a missing one.
 */
export async function retrieveJob({
  platform,
  account: { accountId },
  jobId,
  query,
  waitSeconds,
}: Omit<OperationRequest<"retrieveJob">, "query"> & {
  readonly query?: RetrieveJobQuery | undefined;
}): Promise<JobAnswer> {
  const object = () => jobObjectOf(platform, jobId);
  const answer = await (waitSeconds === null
    ? object().status(accountId)
    : statusAtEnd(object, accountId, waitSeconds * 1_000));
  if (answer === null) throw new ServiceError("job_not_found");
  const { status, progress, asked } = answer;
  return { status: query?.include === "request" ? { ...status, ...asked } : status, progress };
}

/** cancelJob: does not change a job that has ended. @throws ServiceError job_not_found, as retrieveJob. */
export async function cancelJob({
  platform,
  account,
  jobId,
}: OperationRequest<"cancelJob">): Promise<JobStatus> {
  const canceled = await jobObjectOf(platform, jobId).cancel(account.accountId);
  if (canceled === null) throw new ServiceError("job_not_found");
  const { status, canceledTasks } = canceled;
  if (canceledTasks > 0) log("info", "job_canceled", { jobId, by: "account", canceledTasks });
  return status;
}

/**
 * deleteJob: once it returns, neither the list nor the job's object shows the job to its account. Its files are deleted soon
 * after.
 * @throws ServiceError job_not_found, for a deleted job as for a missing one; any error of the database, after which the request
 * may be repeated.
 */
export async function deleteJob({ platform, account, jobId }: OperationRequest<"deleteJob">): Promise<void> {
  if (!(await jobObjectOf(platform, jobId).delete(account.accountId)))
    throw new ServiceError("job_not_found");
  log("info", "job_deleted", { jobId });
}

/**
 * streamJobEvents: the job's events as they come; null for a client that has received its `end`.
 * @param lastEventId the id of the last event in an earlier stream; null if there was none
 * @throws ServiceError job_not_found, too_many_streams.
 */
export async function streamJobEvents(
  { platform, account: { accountId }, jobId }: OperationRequest<"streamJobEvents">,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array> | null> {
  const events = await jobEvents(jobObjectOf(platform, jobId), accountId, lastEventId);
  switch (events) {
    case "not_found":
      throw new ServiceError("job_not_found");
    case "heard_end":
      return null;
    case "job_full":
      throw tooManyStreams("The job", MOST_STREAMS.job);
    case "account_full":
      throw tooManyStreams("The account", MOST_STREAMS.account);
    default:
      return events;
  }
}

const tooManyStreams = (whose: string, most: number): ServiceError =>
  new ServiceError(
    "too_many_streams",
    `${whose} has ${most} open event streams, the maximum. Close one, or wait for the job with \`Prefer: wait=60\`.`,
    { retryAfterSeconds: STREAM_RETRY_SECONDS },
  );

/**
 * retrieveJobResult: the manifest with a signed URL for each output: a JobResult as JSON in pieces, which the job's object
 * delivers page by page. A job may have 30,000 outputs, and many clients may read slowly: they would not fit into a Worker's
 * memory. Such a result also takes as much processor time as 30 others, and so counts as 30 requests.
 * @throws ServiceError job_not_found, job_not_ready, rate_limited.
 */
export async function retrieveJobResult({
  platform,
  account: { accountId },
  jobId,
  linkDigest,
  query,
}: OperationRequest<"retrieveJobResult">): Promise<AsyncGenerator<string>> {
  const isSoFar = query.include === "unfinished";
  const first = await finishedPage(platform, accountId, jobId, { isSoFar });
  await boundAccount(platform, accountId, Math.ceil(first.files / OUTPUTS_PER_REQUEST) - 1, linkDigest);
  const signer = await platform.media.signGets(RESULT_SECONDS);
  const tasksOf = () => tasksFrom(platform, accountId, first, isSoFar);
  return resultJson(first.definition, tasksOf, signer, RESULT_SECONDS);
}

/**
 * Returns outputs of a successful job, or so far of a job in progress: those of a task, and of further tasks up to a page.
 * @throws ServiceError job_not_found, job_not_ready.
 */
export async function finishedPage(
  platform: Platform,
  accountId: string,
  jobId: string,
  { from = 0, isSoFar = false }: { readonly from?: number; readonly isSoFar?: boolean } = {},
): Promise<FinishedPage> {
  const page = await jobObjectOf(platform, jobId).resultPage(accountId, from, isSoFar);
  if (page === null) throw new ServiceError("job_not_found");
  if (page === "not_ready") throw new ServiceError("job_not_ready");
  return page;
}

/**
 * Returns the outputs of a page and of all later pages, as the job's object delivers them.
 * @throws ServiceError as finishedPage.
 */
export async function* tasksFrom(
  platform: Platform,
  accountId: string,
  first: FinishedPage,
  isSoFar = false,
): AsyncGenerator<FinishedTask> {
  const { jobId } = first.definition;
  for (let page = first; ;) {
    yield* page.tasks;
    if (page.next === null) return;
    page = await finishedPage(platform, accountId, jobId, { from: page.next, isSoFar });
  }
}
