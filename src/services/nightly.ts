import type { Platform } from "../platform.ts";
import { refreshSubscriptions } from "./refresh-subscriptions.ts";
import { LETTERS_KEPT_MS } from "./dead-letters.ts";
import { runParts } from "./run-parts.ts";
import { wakeDeletedJobs, wakeOutlivedJobs, wakeStuckJobs } from "./wake-jobs.ts";

/**
 * What one look a night is enough for, each part by itself: a part that fails is logged and left to the next night. The jobs
 * come last: there may be more of them than one night can wake.
 */
export async function nightly(platform: Platform, now: number): Promise<void> {
  await runParts("nightly_failed", {
    dead_letters: () => platform.deadLetters.purge(now - LETTERS_KEPT_MS),
    subscriptions: () => refreshSubscriptions(platform, now),
    deleted_jobs: () => wakeDeletedJobs(platform, now),
    stuck_jobs: () => wakeStuckJobs(platform, now),
    outlived_jobs: () => wakeOutlivedJobs(platform, now),
  });
}
