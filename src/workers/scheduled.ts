import { Lane } from "@segmentation/protocol";
import { log, reasonOf } from "../core/log.ts";
import { closeBooks } from "../services/close-books.ts";
import { endSubscriptions } from "../services/end-subscriptions.ts";
import { LETTERS_KEPT_MS } from "../services/dead-letters.ts";
import { inspectUploads } from "../services/inspect-uploads.ts";
import { refreshSubscriptions } from "../services/refresh-subscriptions.ts";
import { reportUsage } from "../services/report-usage.ts";
import { runParts, sweep } from "../services/sweep.ts";
import {
  purgedBy,
  STUCK_MS,
  wakeDeletedJobs,
  wakeOutlivedJobs,
  wakeStuckJobs,
} from "../services/wake-jobs.ts";
import type { Platform } from "../platform.ts";

/** The work of each cron in wrangler.toml; null for an unknown one. */
function workOf(platform: Platform, cron: string, now: number): Promise<unknown> | null {
  switch (cron) {
    case "*/5 * * * *":
      return Promise.all([
        // A part that threw would end the run while the others are at work.
        runParts("sweep_failed", {
          usage: () => reportUsage(platform, now),
          ended_subscriptions: () => endSubscriptions(platform, now),
        }),
        runParts("sweep_failed", { ledger: () => closeBooks(platform, now) }),
        inspectUploads(platform, now),
        readGauges(platform, now),
      ]);
    case "17 * * * *":
      return sweep(platform, now);
    case "43 3 * * *":
      return nightly(platform, now);
    default:
      return null;
  }
}

/** Does what the cron is for, and logs how long that took. */
export async function runScheduled(platform: Platform, cron: string, now: number): Promise<void> {
  const begun = Date.now();
  const work = workOf(platform, cron, now);
  if (work === null) return log("error", "unknown_cron", { cron });
  await work;
  log("info", "cron_ended", { cron, ms: Date.now() - begun });
}

/**
 * What is done once a night, each part by itself: a part that fails is logged and left to the next night. The jobs come
 * last: there may be more of them than one night can wake.
 */
async function nightly(platform: Platform, now: number): Promise<void> {
  await runParts("nightly_failed", {
    dead_letters: () => platform.deadLetters.purge(now - LETTERS_KEPT_MS),
    subscriptions: () => refreshSubscriptions(platform, now),
    deleted_jobs: () => wakeDeletedJobs(platform, now),
    stuck_jobs: () => wakeStuckJobs(platform, now),
    outlived_jobs: () => wakeOutlivedJobs(platform, now),
  });
}

/** Logs how full the lanes and the database are, and how late sizes of uploads come. What can't be read now is read by the next cron. */
async function readGauges(platform: Platform, now: number): Promise<void> {
  const { gauges } = platform;
  try {
    for (const lane of Lane.options) {
      const { waitingSince, ...open } = await gauges.lane(lane);
      const oldestWaitingSeconds = waitingSince === null ? 0 : Math.round((now - waitingSince) / 1_000);
      log("info", "lane_gauges", { lane, ...open, oldestWaitingSeconds });
    }
    const { unsized, dueSince } = await gauges.uploads(now);
    const oldestSeconds = dueSince === null ? 0 : Math.round((now - dueSince) / 1_000);
    log("info", "upload_gauges", { unsized, oldestSeconds });
    log("info", "database_gauges", {
      ...(await gauges.database(now - STUCK_MS, purgedBy(platform, now))),
    });
  } catch (error) {
    log("error", "gauges_failed", { reason: reasonOf(error) });
  }
}
