import { log } from "../core/log.ts";
import { closeBooks } from "../services/close-books.ts";
import { inspectUploads } from "../services/inspect-uploads.ts";
import { nightly } from "../services/nightly.ts";
import { readGauges } from "../services/read-gauges.ts";
import { reportUsage } from "../services/report-usage.ts";
import { runParts } from "../services/run-parts.ts";
import { sweep } from "../services/sweep.ts";
import type { Platform } from "../platform.ts";

/** What each cron of wrangler.toml does; null if the Worker does not know it. */
function workOf(platform: Platform, cron: string, now: number): Promise<unknown> | null {
  switch (cron) {
    case "*/5 * * * *":
      return Promise.all([
        // A part that threw would end the run while the others are at work.
        runParts("sweep_failed", { usage: () => reportUsage(platform, now) }),
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

/** Does what the cron is for, and tells how long that took. */
export async function runScheduled(platform: Platform, cron: string, now: number): Promise<void> {
  const begun = Date.now();
  const work = workOf(platform, cron, now);
  if (work === null) return log("error", "unknown_cron", { cron });
  await work;
  log("info", "cron_ended", { cron, ms: Date.now() - begun });
}
