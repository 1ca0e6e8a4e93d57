import type { ErasureReport } from "../contract/operator.ts";
import { ServiceError } from "../../shared/errors.ts";
import { lateWritesMs } from "../../jobs/rules/policy.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { accountPrefixes } from "../../shared/bucket/object-keys.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { needing, RETRY_SECONDS } from "../../shared/storage/database-failure.ts";
import { deleteInPages } from "../../shared/storage/delete-in-pages.ts";
import { eraseEndpoints } from "../../webhooks/operations/erase-endpoints.ts";
import { abortUnfinished, MOST_ABORTS } from "../../uploads/operations/sweep-uploads.ts";

/** Time that a run erases, apart from the page that it has begun: an operator waits for its answer. */
const RUN_MS = 20_000;
/** Pages of each kind; D1 takes a thousand statements from one run of a Worker, and a sweep makes several of these runs. */
const PAGES_A_RUN = 10;
const JOBS_A_PAGE = 24;

/**
 * Erases an account as far as one run can, in an order that any run can resume: first its person and its credentials, then its
 * webhook endpoints, its jobs, its uploads, its files; last the account's link to its customer, which the jobs' last meter events
 * need. Jobs in progress end at once; their usage stays settled. The ledger keeps the account's id, which identifies no person.
 * Each run takes at least one page of each kind, so that a failing deletion does not delay the rest.
 * @throws ServiceError not_found if there is no such account; any error of a store; another run then continues.
 */
export async function eraseAccount(
  platform: Platform,
  accountId: string,
  now: number,
): Promise<ErasureReport> {
  const { erasures, billing } = platform;
  const erasure = await erasures.begin(accountId, now);
  if (erasure === null) throw new ServiceError("not_found", `There is no account ${accountId}.`);
  // After the account's database: if it refuses because the account has begun to move, the directory keeps the credentials.
  if (platform.databases.length > 1) await platform.directory.forgetCredentials(accountId);
  const { deleted, filesLeft } =
    erasure.erasedAt === null
      ? await eraseWhatIsLeft(platform, accountId, Date.now() + RUN_MS)
      : { deleted: 0, filesLeft: false };
  const remains = await erasures.remains(accountId);
  const { jobs: jobsLeft, uploads: uploadsLeft, endpoints: endpointsLeft, customerIds } = remains;
  const isEmptied = jobsLeft === 0 && uploadsLeft === 0 && endpointsLeft === 0 && !filesLeft;
  if (isEmptied) {
    const customerId = await erasures.customer(accountId);
    if (customerId !== null) await billing.forgetCustomer(customerId, null, now);
  }
  const checksAgainAt = erasure.erasingAt + lateWritesMs(platform.policy);
  const isErased = erasure.erasedAt !== null || (isEmptied && now >= checksAgainAt);
  if (isErased && erasure.erasedAt === null) {
    await erasures.finish(accountId, now);
    log("info", "account_erased", { account: accountId });
  }
  const left = { jobsLeft, uploadsLeft, endpointsLeft, filesLeft, deleted };
  if (!isEmptied) log("info", "account_erasing", { account: accountId, ...left });
  const state = isErased ? "erased" : isEmptied ? "emptied" : "erasing";
  return { accountId, state, ...left, checksAgainAt, customerIds };
}

/**
 * Like `eraseAccount`, in every database with rows of the account: after a restore there may be two. Erases nothing while the
 * account is being moved.
 * @throws ServiceError account_moving, database_unavailable; and as eraseAccount.
 */
export async function eraseEverywhere(
  platform: Platform,
  accountId: string,
  now: number,
): Promise<ErasureReport> {
  const places: Platform[] = [];
  for (const database of platform.databases) {
    const books = platform.at(database);
    await needing(books, database, async () => {
      const transit = await books.transits.find(accountId);
      if (transit !== null) throw moving(accountId, transit.direction === "out" ? transit.other : database);
      if ((await books.accounts.profile(accountId)) !== null) places.push(books);
    });
  }
  const eraseIn = (books: Platform) =>
    needing(books, books.database, () => eraseAccount(books, accountId, now));
  for (const books of places.slice(1)) {
    const report = await eraseIn(books);
    if (report.state === "erasing") return report;
  }
  return eraseIn(places[0] ?? platform);
}

/** Returns the refusal to erase an account that is being moved. */
const moving = (accountId: string, to: string): ServiceError =>
  new ServiceError(
    "account_moving",
    `The account is being moved to ${to}, so nothing was erased. End the move first, with: npm run admin -- move-account --account ${accountId} --to ${to}`,
    { retryAfterSeconds: RETRY_SECONDS },
  );

/** Deletes webhook endpoints, jobs, uploads and files until `until` (epoch ms). */
async function eraseWhatIsLeft(
  platform: Platform,
  accountId: string,
  until: number,
): Promise<{ deleted: number; filesLeft: boolean }> {
  let deleted = await eraseEndpoints(platform, accountId);
  await platform.webhookEndpoints.forgetErased(accountId);
  deleted += await eraseJobs(platform, accountId, until);
  deleted += await eraseUnfinishedUploads(platform, accountId);
  const forget = (limit: number): Promise<number> => platform.erasures.forgetUploads(accountId, limit);
  deleted += await deleteInPages(forget, until, PAGES_A_RUN);
  let filesLeft = false;
  for (const prefix of accountPrefixes(accountId)) {
    const files = await platform.media.deletePrefix(prefix, until);
    deleted += files.deleted;
    filesLeft ||= !files.isEmpty;
  }
  return { deleted, filesLeft };
}

/** Aborts a page of the account's multipart uploads, whose rows have the bucket's ids. Returns how many. */
async function eraseUnfinishedUploads({ media, uploads }: Platform, accountId: string): Promise<number> {
  const page = await uploads.unfinished(accountId, MOST_ABORTS);
  await abortUnfinished(media, page);
  await uploads.delete(page.map(({ taskId }) => taskId));
  return page.length;
}

/** Ends and forgets the account's jobs. An unreachable job does not delay the others. Returns the number forgotten. */
async function eraseJobs(platform: Platform, accountId: string, until: number): Promise<number> {
  let erased = 0;
  let after = "";
  for (let pages = 0; pages < PAGES_A_RUN; pages += 1) {
    const page = await platform.erasures.jobs(accountId, after, JOBS_A_PAGE);
    const ends = await mapPool(page, CONNECTIONS, (jobId) => eraseJob(platform, accountId, jobId));
    erased += ends.filter((end) => end !== "left").length;
    // The creation of a job that has no object was interrupted.
    const unknown = page.filter((_, i) => ends[i] === "unknown");
    if (unknown.length > 0) await platform.jobs.withdrawAll(unknown, Date.now());
    after = page.at(-1) ?? after;
    if (page.length < JOBS_A_PAGE || Date.now() >= until) break;
  }
  return erased;
}

async function eraseJob(
  platform: Platform,
  accountId: string,
  jobId: string,
): Promise<"erased" | "left" | "unknown"> {
  try {
    const end = await platform.jobObject(jobId).erase();
    if (end === "left") log("warn", "erasure_delayed", { account: accountId, jobId });
    return end;
  } catch (error) {
    log("warn", "erasure_delayed", { account: accountId, jobId, reason: reasonOf(error) });
    return "left";
  }
}

const RUNS_A_SWEEP = 20;
/** A cron has 15 minutes for all of its work. */
const SWEEP_MS = 5 * 60_000;

/**
 * Resumes interrupted erasures, and checks once more those whose late writers can no longer write. They take turns: a large
 * account does not delay the others.
 */
export async function sweepErasures(platform: Platform, now: number): Promise<void> {
  const until = Date.now() + SWEEP_MS;
  const waiting = await platform.erasures.unfinished(RUNS_A_SWEEP);
  for (let runs = 0; runs < RUNS_A_SWEEP && Date.now() < until; runs += 1) {
    const accountId = waiting.shift();
    if (accountId === undefined) return;
    try {
      const { state, deleted } = await eraseAccount(platform, accountId, now);
      if (state === "erasing" && deleted > 0) waiting.push(accountId);
    } catch (error) {
      log("warn", "erasure_delayed", { account: accountId, reason: reasonOf(error) });
    }
  }
}
