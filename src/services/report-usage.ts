import { log, reasonOf } from "../core/log.ts";
import { RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../core/metering.ts";
import { mapPool } from "../core/pool.ts";
import type { Platform } from "../platform.ts";
import type { DueUse } from "../stores/usage-outbox.ts";

/** Each costs two statements, of which D1 takes a thousand from one run of a Worker. */
const MOST_A_RUN = 400;
/** Stripe takes one call at a time for a customer; a Worker has six connections. */
const WIDTH = 6;

/** Reports metered use that is due to the payment provider. What is refused, and all when it is away, waits for the next run. */
export async function reportUsage(platform: Platform, now: number): Promise<void> {
  const { payments, usage } = platform;
  if (payments === null) return;
  const limits = { triedAfter: now - RESENT_WITHIN_MS, usedAfter: now - SENT_WITHIN_MS };
  const stalled = await usage.stalled(limits);
  if (stalled.count > 0) log("error", "usage_stalled", { ...stalled });

  const due = await usage.due(limits, MOST_A_RUN);
  let sent = 0;
  let isAway = false;
  const report = async (use: DueUse): Promise<void> => {
    if (isAway) return;
    try {
      // Before it is sent: a try that nobody knows of could be counted twice later.
      await usage.noteTry(use.identifier, Date.now());
      if (!(await payments.reportUse(use))) return;
      await usage.markSent(use.identifier, Date.now());
      sent += 1;
    } catch (error) {
      isAway = true;
      log("error", "usage_report_failed", { identifier: use.identifier, reason: reasonOf(error) });
    }
  };
  // One finds out whether Stripe is there, one tried before if possible: what was never tried can wait out a long outage.
  const first = due.find((use) => use.wasTried) ?? due[0];
  if (first === undefined) return;
  await report(first);
  const byCustomer = Map.groupBy(
    due.filter((use) => use !== first),
    (use) => use.customerId,
  );
  await mapPool([...byCustomer.values()], WIDTH, async (uses) => {
    for (const use of uses) await report(use);
  });
  log("info", "usage_reported", { due: due.length, sent });
}
