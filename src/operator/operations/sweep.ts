import { FILES_PER_UNIT } from "../../billing/rules/access.ts";
import { creditOf } from "../../billing/rules/credit.ts";
import { dayOf, USAGE_KEPT_DAYS } from "../../billing/rules/usage.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { UNUSED_KEPT_MS, usedKeptMs } from "../../uploads/rules/lifetime.ts";
import type { Platform } from "../../platform.ts";
import { REMEMBERED_MS } from "../../shared/storage/idempotency-keys.ts";
import { deleteInPages } from "../../shared/storage/delete-in-pages.ts";
import { sweepErasures } from "./erase-account.ts";
import { sweepUploads } from "../../uploads/operations/sweep-uploads.ts";
import { eraseEndpoints } from "../../webhooks/operations/erase-endpoints.ts";

/** The overview covers one day. */
const SETTLED_UNITS_KEPT_MS = 86_400_000;
/** Stripe repeats an event for three days; to remember it longer costs little. */
const EVENTS_KEPT_MS = 30 * 86_400_000;
/** An account's list shows a revoked key as long. */
const REVOKED_KEYS_KEPT_MS = 90 * 86_400_000;

/** They count toward an account's limit of new endpoints. */
const ERASED_ENDPOINTS_KEPT_MS = 86_400_000;

/**
 * Logs one database's accounts that cost more than they pay, and deletes data past its retention. It logs a part that fails and
 * leaves it to the next sweep. Slow parts come last, so that they do not delay the rest.
 */
export async function sweep(platform: Platform, now: number): Promise<void> {
  const { uploads, ledger, idempotency, billing, webhookEndpoints } = platform;
  await runParts(platform, "sweep_failed", {
    accounts: () => watchAccounts(platform, now),
    upload_bytes: () => deleteInPages((limit) => uploads.purgeBytes(now, limit)),
    settled_units: () =>
      deleteInPages((limit) => ledger.purgeSettledUnits(now - SETTLED_UNITS_KEPT_MS, limit)),
    usage_days: () => deleteInPages((limit) => ledger.purgeUsageDays(dayOf(now) - USAGE_KEPT_DAYS, limit)),
    api_keys: () => purgeCredentials(platform, platform.apiKeys, now - REVOKED_KEYS_KEPT_MS),
    shares: () => purgeCredentials(platform, platform.shares, now),
    idempotency_keys: () => deleteInPages((limit) => idempotency.purge(now, limit)),
    stripe_events: () => deleteInPages((limit) => billing.purgeEvents(now - EVENTS_KEPT_MS, limit)),
    webhook_endpoints: () => eraseEndpoints(platform, null),
    erased_endpoints: () =>
      deleteInPages((limit) => webhookEndpoints.purge(now - ERASED_ENDPOINTS_KEPT_MS, limit)),
    uploads: () => sweepUploads(platform, now),
    erasures: () => sweepErasures(platform, now),
  });
}

/** Maximum number of accounts of each kind that a run names. */
const MOST_NAMED = 10;

/**
 * Logs the accounts that owe the most, with the used share of their credit; and the accounts whose jobs of today cost most in
 * excess of their charges. A unit pays for a picture or a frame, and for a number of files.
 */
async function watchAccounts({ gauges, settings }: Platform, now: number): Promise<void> {
  for (const { accountId, units, paidUnits, creditUnits } of await gauges.unpaid(MOST_NAMED)) {
    const credit = creditOf({ firstUnits: creditUnits ?? settings.CREDIT_UNITS, paidUnits });
    // An account without credit that owes any unit has exceeded it.
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

/** Returns for how long (seconds) the sweep's oldest row has been due; only of the numerous or large kinds. */
export async function unsweptSeconds({ gauges, policy }: Platform, now: number): Promise<number> {
  const [unused, used] = [now - UNUSED_KEPT_MS, now - usedKeptMs(policy)];
  const ms = await gauges.unsweptMs(unused, used, now - REMEMBERED_MS, now - EVENTS_KEPT_MS);
  return Math.max(0, Math.round(ms / 1_000));
}

/** Deletes credentials that ended before `before` (epoch ms), and before them their entries in the directory. */
const purgeCredentials = (
  { databases, directory }: Platform,
  credentials: Platform["apiKeys"] | Platform["shares"],
  before: number,
): Promise<number> =>
  deleteInPages(async (limit) => {
    const digests = databases.length === 1 ? [] : await credentials.endedDigests(before, limit);
    if (digests.length > 0) await directory.forget(digests);
    return credentials.purge(before, limit);
  });

/** Runs the parts one after another: logs a failing part as `event`, and still runs the others. */
export async function runParts(
  { database }: Platform,
  event: string,
  parts: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  for (const [part, run] of Object.entries(parts)) {
    try {
      await run();
    } catch (error) {
      log("error", event, { part, database, reason: reasonOf(error) });
    }
  }
}
