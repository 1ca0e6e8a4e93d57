import { accessModeOf } from "../rules/access.ts";
import { databaseFault } from "../../shared/storage/databases.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import type { Payments } from "../store/payments.ts";
import type { KnownCustomer } from "../store/billing.ts";
import { CustomerGone, CustomerUnknown, RequestRefused } from "../store/stripe-failures.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";

/** Maximum per kind. Each costs two or more calls to Stripe, and a statement. The rest comes first in the next run. */
const MOST_A_RUN = 300;
/** Number to mark as checked before asking Stripe: the next run does not begin with the customer that stopped this one. */
const GROUP = 20;
const WIDTH = 4;

/** Stripe's answer about a customer: unchanged, changed, refused, or a customer that it does not know. */
type Answer = "known" | "refreshed" | "refused" | "unknown";

/**
 * Fetches the subscriptions of customers whose webhook may have been lost: those who still count as paying although their paid
 * period has ended, because a missing webhook must not give access for ever; and those in arrears, because a lost payment webhook
 * must not keep them out. Keeps a state written meanwhile, which is newer. A customer that Stripe refuses to describe keeps its
 * state, and does not hold up the others. If Stripe knows none of a group, the run ends: our key then belongs to another Stripe
 * account, and no customer is forgotten.
 * @throws ServiceError payment_provider_failed if Stripe can't be asked; the rest keeps its access until the next run.
 */
export async function refreshSubscriptions(platform: Platform, now: number): Promise<void> {
  const { billing, payments } = platform;
  if (payments === null) return;
  const due = [...(await billing.overdue(now, MOST_A_RUN)), ...(await billing.inArrears(MOST_A_RUN))];
  const counts = { known: 0, refreshed: 0, refused: 0, unknown: 0 };
  for (let i = 0; i < due.length; i += GROUP) {
    const group = due.slice(i, i + GROUP);
    await billing.noteChecks(
      group.map(({ customerId }) => customerId),
      now,
    );
    const answers = await mapPool(group, WIDTH, (customer) => refresh(platform, payments, customer));
    for (const answer of answers) counts[answer] += 1;
    if (answers.every((answer) => answer === "unknown")) break;
  }
  const { known, ...notable } = counts;
  if (Object.values(notable).some((count) => count > 0))
    log("warn", "subscriptions_refreshed", { known, ...notable });
}

/** Fetches and writes one customer's state; forgets the customer if Stripe has deleted it. */
async function refresh(
  { billing }: Platform,
  payments: Payments,
  { customerId, version, status, currentPeriodEnd, owes, paidUnits }: KnownCustomer,
): Promise<Answer> {
  try {
    const now = await payments.stateOf(customerId);
    const { subscription } = now;
    await billing.write(customerId, version, now, null, Date.now());
    const isKnown =
      subscription?.status === status &&
      subscription.currentPeriodEnd === currentPeriodEnd &&
      now.owes === (owes === 1) &&
      now.paidUnits === paidUnits;
    return isKnown ? "known" : "refreshed";
  } catch (error) {
    if (error instanceof CustomerUnknown) return "unknown";
    if (error instanceof RequestRefused) return "refused";
    // The account has begun to move: the next night finds it in its new database.
    if (databaseFault(reasonOf(error)) === "moved") return "known";
    if (!(error instanceof CustomerGone)) throw error;
    await billing.forgetCustomer(customerId, null, Date.now());
    return "refreshed";
  }
}

/** The rest comes first in the next run. */
const ACCOUNTS_A_RUN = 20;

/**
 * Cancels the unstarted tasks of accounts whose subscription has ended, because they could not be billed. Tasks in progress
 * complete. An account stays due until this has reached all of its jobs.
 */
export async function endSubscriptions(platform: Platform, now: number): Promise<void> {
  for (const { accountId, plan, status, owes } of await platform.billing.ended(ACCOUNTS_A_RUN)) {
    const isPaid = accessModeOf(plan, status, owes === 1) === "paid";
    if (isPaid || (await cancelUnbegun(platform, accountId, now))) await platform.billing.noteEnd(accountId);
  }
}

/** Cancels the unstarted tasks of an account's paid jobs. Returns true if this reached all of them. */
async function cancelUnbegun(platform: Platform, accountId: string, now: number): Promise<boolean> {
  const jobIds = await platform.oldJobs.paidUnderWay(accountId);
  const outcomes = await mapPool(jobIds, CONNECTIONS, async (jobId) => {
    try {
      await platform.jobObject(jobId).cancelUnbegun();
      return true;
    } catch (error) {
      log("warn", "subscription_end_delayed", { account: accountId, jobId, reason: reasonOf(error) });
      return false;
    }
  });
  const missed = outcomes.filter((isReached) => !isReached).length;
  log("info", "subscription_ended", {
    account: accountId,
    jobs: jobIds.length,
    missed,
    ms: Date.now() - now,
  });
  return missed === 0;
}
