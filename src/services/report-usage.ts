import { log, reasonOf } from "../core/log.ts";
import { RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../core/metering.ts";
import { mapPool } from "../core/pool.ts";
import type { Platform } from "../platform.ts";
import type { DueUse } from "../stores/usage-outbox.ts";

/** Each costs two statements, and D1 takes a thousand statements from one run of a Worker. */
const MOST_A_RUN = 400;
/** Stripe takes one call at a time per customer; a Worker has six connections. */
const WIDTH = 6;

/** Reports metered use that is due to the payment provider. What it refuses waits for the next run; so does all if it is away. */
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
      // Recorded before it is sent: a try that is not on record could be counted twice later.
      await usage.noteTry(use.identifier, Date.now());
      if (!(await payments.reportUse(use))) return;
      await usage.markSent(use.identifier, Date.now());
      sent += 1;
    } catch (error) {
      isAway = true;
      log("error", "usage_report_failed", { identifier: use.identifier, reason: reasonOf(error) });
    }
  };
  // One report finds out whether Stripe answers; preferably one tried before, because the untried can wait out an outage.
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
