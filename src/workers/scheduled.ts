import { log } from "../core/log.ts";
import { reportUsage } from "../services/report-usage.ts";
import { sweep } from "../services/sweep.ts";
import type { Platform } from "../platform.ts";

/** What each cron of wrangler.toml does. */
export async function runScheduled(platform: Platform, cron: string, now: number): Promise<void> {
  switch (cron) {
    case "*/5 * * * *":
      return reportUsage(platform, now);
    case "17 * * * *":
      return sweep(platform, now);
    default:
      log("error", "unknown_cron", { cron });
  }
}
