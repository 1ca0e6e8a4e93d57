import { log } from "../../shared/log.ts";
import { LAG_ALARM_MS, RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../rules/metering.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import type { Payments } from "../store/payments.ts";
import { CustomerUnknown } from "../store/stripe-failures.ts";
import type { DueUse, UsageOutbox } from "../store/usage-outbox.ts";

const MOST_A_RUN = 5_000;
/** A run ends before the next begins. */
const RUN_MS = 4 * 60_000;
/** Number of attempts to record at a time: one statement before they are sent, two after. */
const GROUP = 60;

/** Maximum number of customers to check at Stripe before reporting use. */
const ASKED_FIRST = 3;

/**
 * Reports metered use that is due to the payment provider. Refused use waits for the next run; so does all use if the provider is
 * unreachable, or if our key belongs to an account without our customers.
 */
export async function reportUsage(platform: Platform, now: number): Promise<void> {
  const { payments, usage, database } = platform;
  if (payments === null) return;
  const limits = { now, triedAfter: now - RESENT_WITHIN_MS, usedAfter: now - SENT_WITHIN_MS };
  const { lagMs, stalled } = await usage.backlog(limits);
  const oldestSeconds = lagMs === null ? null : Math.round(lagMs / 1_000);
  if (stalled.count > 0) log("error", "usage_stalled", { database, ...stalled });
  if (lagMs !== null && lagMs > LAG_ALARM_MS) log("error", "usage_lagging", { database, oldestSeconds });

  const due = await usage.due(limits, MOST_A_RUN);
  // One report tests if Stripe answers. Prefers use that Stripe may know: the rest can wait out an outage.
  const first = due.find((use) => use.mayBeKnown) ?? due[0];
  const rest = due.filter((use) => use !== first);
  const groups = first === undefined ? [] : [[first]];
  for (let i = 0; i < rest.length; i += GROUP) groups.push(rest.slice(i, i + GROUP));
  let sent = 0;
  const isOurs = await hasOurCustomers(payments, due);
  for (const group of isOurs ? groups : []) {
    const identifiers = group.map(({ identifier }) => identifier);
    const outcome = await reportGroup(usage, payments, identifiers);
    sent += outcome.sent;
    if (outcome.isAway || Date.now() > now + RUN_MS) break;
  }
  log("info", "usage_reported", { database, due: due.length, sent, oldestSeconds });
}

/** Returns true if the payment provider has our customers, or can't be asked: then the first report finds out. */
async function hasOurCustomers(payments: Payments, due: readonly DueUse[]): Promise<boolean> {
  try {
    const customers = new Set(due.map(({ customerId }) => customerId));
    await payments.askForOneOf([...customers].slice(0, ASKED_FIRST));
    return true;
  } catch (error) {
    return !(error instanceof CustomerUnknown);
  }
}

/** Reports a group, one call at a time per customer, until the provider can't be reached. */
async function reportGroup(
  usage: UsageOutbox,
  payments: Payments,
  identifiers: readonly string[],
): Promise<{ sent: number; isAway: boolean }> {
  const uses = await usage.noteTries(identifiers, Date.now());
  const sent: string[] = [];
  const untaken: string[] = [];
  let isAway = false;
  const byCustomer = Map.groupBy(uses, ({ customerId }) => customerId);
  await mapPool([...byCustomer.values()], CONNECTIONS, async (ofCustomer) => {
    for (const use of ofCustomer) {
      const answer = isAway ? "turned_away" : await payments.reportUse(use);
      if (answer === "taken") sent.push(use.identifier);
      if (answer === "refused" || answer === "turned_away") untaken.push(use.identifier);
      if (answer === "unanswered" || answer === "turned_away") isAway = true;
    }
  });
  await usage.noteAnswers({ sent, untaken }, Date.now());
  if (isAway) log("error", "usage_report_failed", { identifiers: uses.length, sent: sent.length });
  return { sent: sent.length, isAway };
}
