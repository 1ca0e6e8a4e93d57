import { Lane } from "@segmentation/protocol";
import { log, reasonOf } from "../shared/log.ts";
import { closeBooks } from "../billing/operations/close-books.ts";
import { endSubscriptions, refreshSubscriptions } from "../billing/operations/subscriptions.ts";
import { LETTERS_KEPT_MS } from "../operator/operations/dead-letters.ts";
import { inspectUploads } from "../uploads/operations/inspect-uploads.ts";
import { reportUsage } from "../billing/operations/report-usage.ts";
import { runParts, sweep, unsweptSeconds } from "../operator/operations/sweep.ts";
import {
  purgedBy,
  STUCK_MS,
  wakeDeletedJobs,
  wakeOutlivedJobs,
  wakeStuckJobs,
} from "../jobs/operations/wake-jobs.ts";
import type { Platform } from "../platform.ts";
import type { LaneGauges, UploadGauges } from "../operator/store/gauges.ts";
import type { UpkeepMessage } from "../jobs/store/queues.ts";

/** The work of a cron in one database. Never throws: a run continues while another fails. */
type Work = (books: Platform, now: number) => Promise<void>;

/** The work of each cron in wrangler.toml. */
const WORK: Readonly<Record<string, Work>> = {
  "*/5 * * * *": async (books, now) => {
    await Promise.all([
      // A part that threw would end the run while the others are still running.
      runParts(books, "sweep_failed", {
        usage: () => reportUsage(books, now),
        ended_subscriptions: () => endSubscriptions(books, now),
      }),
      runParts(books, "sweep_failed", { ledger: () => closeBooks(books, now) }),
      inspectUploads(books, now),
    ]);
  },
  "17 * * * *": sweep,
  "43 3 * * *": nightly,
};

/**
 * Requests the work of a cron in each database with a message, and so a separate run of the Worker: a database that is slow, full
 * or behind delays no other. If sending fails, the next cron tries again.
 */
export async function runScheduled(platform: Platform, cron: string, now: number): Promise<void> {
  if (WORK[cron] === undefined) return log("error", "unknown_cron", { cron });
  const gauges = cron === "*/5 * * * *" ? readGauges(platform, now) : null;
  try {
    await platform.queues.sendUpkeep(cron, platform.databases);
  } catch (error) {
    log("error", "send_failed", { cron, reason: reasonOf(error) });
  }
  await gauges;
}

/**
 * Runs the work of a cron in one database, and logs its duration. It may run twice, also concurrently.
 * @throws Error if the database no longer exists
 */
export async function runUpkeep(
  platform: Platform,
  { cron, database }: UpkeepMessage,
  now: number,
): Promise<void> {
  const begun = Date.now();
  const work = WORK[cron];
  if (work === undefined) return log("error", "unknown_cron", { cron });
  await work(platform.at(database), now);
  log("info", "cron_ended", { cron, database, ms: Date.now() - begun });
}

/**
 * Runs the nightly work of one database, each part separately: it logs a part that fails and leaves it to the next night. The
 * jobs come last: there may be more of them than one night can wake.
 */
async function nightly(platform: Platform, now: number): Promise<void> {
  await runParts(platform, "nightly_failed", {
    dead_letters: () => platform.deadLetters.purge(now - LETTERS_KEPT_MS),
    subscriptions: () => refreshSubscriptions(platform, now),
    deleted_jobs: () => wakeDeletedJobs(platform, now),
    stuck_jobs: () => wakeStuckJobs(platform, now),
    outlived_jobs: () => wakeOutlivedJobs(platform, now),
  });
}

/**
 * Logs the fill level of the lanes and the databases, and the delay of upload sizes. Unreadable data counts as nothing; the next cron reads it.
 */
async function readGauges(platform: Platform, now: number): Promise<void> {
  const read = await Promise.all(
    platform.databases.map((database) => readDatabase(platform.at(database), now)),
  );
  const answers = read.filter((each) => each !== null);
  // These are common to all databases: logs nothing about them while no database answers.
  if (answers.length === 0) return;
  for (const lane of Lane.options) {
    const { waitingSince, ...open } = answers.map(({ lanes }) => lanes[lane]).reduce(inAll);
    log("info", "lane_gauges", { lane, ...open, oldestWaitingSeconds: secondsSince(waitingSince, now) });
  }
  const { unsized, dueSince } = answers
    .map(({ uploads }) => uploads)
    .reduce((a, b) => ({ unsized: a.unsized + b.unsized, dueSince: earlier(a.dueSince, b.dueSince) }));
  log("info", "upload_gauges", { unsized, oldestSeconds: secondsSince(dueSince, now) });
}

const secondsSince = (time: number | null, now: number): number =>
  time === null ? 0 : Math.round((now - time) / 1_000);

/** Returns the earlier of two times; null if there is neither. */
const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** One database's share of the common metrics. */
interface Part {
  readonly lanes: Record<Lane, LaneGauges>;
  readonly uploads: UploadGauges;
}

/** Returns the sum of two databases' parts of a lane. */
const inAll = (a: LaneGauges, b: LaneGauges): LaneGauges => ({
  openJobs: a.openJobs + b.openJobs,
  openTasks: a.openTasks + b.openTasks,
  waitingJobs: a.waitingJobs + b.waitingJobs,
  waitingSince: earlier(a.waitingSince, b.waitingSince),
});

/**
 * Logs the fill level and speed of a database, and notes its size for new accounts. Returns its part of the common measures; null
 * if it can't be read.
 */
async function readDatabase(books: Platform, now: number): Promise<Part | null> {
  const { database, databases, gauges } = books;
  try {
    const lanes = {
      interactive: await gauges.lane("interactive"),
      bulk: await gauges.lane("bulk"),
      trial: await gauges.lane("trial"),
    };
    const uploads = await gauges.uploads(now);
    const full = await gauges.database(now - STUCK_MS, purgedBy(books, now));
    const unswept = { unsweptSeconds: await unsweptSeconds(books, now) };
    log("info", "database_gauges", { database, ...full, readMs: await gauges.readMs(), ...unswept });
    if (databases.length > 1) await books.directory.noteSize(database, full.bytes);
    return { lanes, uploads };
  } catch (error) {
    log("error", "gauges_failed", { database, reason: reasonOf(error) });
    return null;
  }
}
