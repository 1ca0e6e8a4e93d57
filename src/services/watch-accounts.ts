import { FILES_PER_UNIT } from "../core/accounts/access.ts";
import { creditOf } from "../core/billing/credit.ts";
import { dayOf } from "../core/billing/usage.ts";
import { log } from "../core/log.ts";
import type { Platform } from "../platform.ts";

/** Accounts of each kind that a run names: those that an operator looks at first. */
const MOST_NAMED = 10;

/**
 * Logs which accounts owe the most, and how much of their credit that is; and the work of today's jobs of which accounts
 * exceeds what they were charged by most. A unit pays for a picture or a frame, and for so many files.
 */
export async function watchAccounts({ gauges, settings }: Platform, now: number): Promise<void> {
  for (const { accountId, units, paidUnits, creditUnits } of await gauges.unpaid(MOST_NAMED)) {
    const credit = creditOf({ firstUnits: creditUnits ?? settings.CREDIT_UNITS, paidUnits });
    // An account without a credit that owes something has exceeded it.
    const percent = credit === 0 ? 100 : Math.round((100 * units) / credit);
    log("info", "account_owes", { account: accountId, units, percent });
  }
  for (const day of await gauges.uncharged(dayOf(now), FILES_PER_UNIT, MOST_NAMED)) {
    const { accountId, tasks, units, files, chargedUnits } = day;
    const done = Math.max(tasks, units, Math.floor(files / FILES_PER_UNIT));
    const uncharged = { units: done - chargedUnits, chargedUnits, tasks, files };
    log("info", "account_uncharged", { account: accountId, ...uncharged });
  }
}
