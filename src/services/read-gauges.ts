import { Lane } from "@segmentation/protocol";
import { log, reasonOf } from "../core/log.ts";
import type { Platform } from "../platform.ts";
import { purgedBy, STUCK_MS } from "./wake-jobs.ts";

/** Logs how full lanes and database are. What can't be read now is read by the next cron. */
export async function readGauges(platform: Platform, now: number): Promise<void> {
  const { gauges } = platform;
  try {
    for (const lane of Lane.options) {
      const { waitingSince, ...open } = await gauges.lane(lane);
      const oldestWaitingSeconds = waitingSince === null ? 0 : Math.round((now - waitingSince) / 1_000);
      log("info", "lane_gauges", { lane, ...open, oldestWaitingSeconds });
    }
    log("info", "database_gauges", {
      ...(await gauges.database(now - STUCK_MS, purgedBy(platform, now))),
    });
  } catch (error) {
    log("error", "gauges_failed", { reason: reasonOf(error) });
  }
}
