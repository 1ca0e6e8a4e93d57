import { log, reasonOf } from "../core/log.ts";
import type { Platform } from "../platform.ts";
import { sweepUploads } from "./sweep-uploads.ts";

/** Stripe repeats an event for three days; to remember it longer costs little. */
const EVENTS_KEPT_MS = 30 * 86_400_000;

/** Deletes what has outlived its retention, each part by itself: a part that fails is logged and left to the next sweep. */
export async function sweep(platform: Platform, now: number): Promise<void> {
  const parts: Readonly<Record<string, () => Promise<unknown>>> = {
    uploads: () => sweepUploads(platform, now),
    idempotency_keys: () => platform.idempotency.sweep(now),
    stripe_events: () => platform.billing.purgeEvents(now - EVENTS_KEPT_MS),
  };
  for (const [part, run] of Object.entries(parts)) {
    try {
      await run();
    } catch (error) {
      log("error", "sweep_failed", { part, reason: reasonOf(error) });
    }
  }
}
