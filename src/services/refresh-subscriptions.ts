import { log } from "../core/log.ts";
import { mapPool } from "../core/lib/pool.ts";
import type { Platform } from "../platform.ts";
import type { Payments } from "../stores/billing/payments.ts";
import type { KnownCustomer } from "../stores/billing/billing.ts";
import { CustomerGone, CustomerUnknown, RequestRefused } from "../stores/billing/stripe-failures.ts";

/** Of each kind. Each costs a call to Stripe and a statement. What is left over comes first in the next run. */
const MOST_A_RUN = 300;
/** How many are noted as looked at before Stripe is asked for them: at what stops a run, the next one does not begin. */
const GROUP = 20;
const WIDTH = 4;

/** What Stripe said of a customer: what is known already; something else; nothing, or that it never had this customer. */
type Said = "known" | "refreshed" | "refused" | "unknown";

/**
 * Fetches the subscriptions of customers of whom a webhook may be missing: those who still count as paying although the period
 * that they paid for has ended, because no webhook must not give access for ever; and those in arrears, because a payment
 * whose webhook is lost must not keep them out. A state that another wrote meanwhile is newer, and stays. A customer of whom
 * Stripe refuses to tell keeps what it has, and holds up no other. Where Stripe knows none of a group, the run ends: then our
 * key is another account's, and nobody is forgotten.
 * @throws ServiceError payment_provider_failed if Stripe can't be asked; the rest keeps its access until the next run.
 */
export async function refreshSubscriptions(platform: Platform, now: number): Promise<void> {
  const { billing, payments } = platform;
  if (payments === null) return;
  const due = [...(await billing.overdue(now, MOST_A_RUN)), ...(await billing.inArrears(MOST_A_RUN))];
  const counts = { known: 0, refreshed: 0, refused: 0, unknown: 0 };
  for (let i = 0; i < due.length; i += GROUP) {
    const group = due.slice(i, i + GROUP);
    await billing.noteLooks(
      group.map(({ customerId }) => customerId),
      now,
    );
    const said = await mapPool(group, WIDTH, (customer) => refresh(platform, payments, customer));
    for (const one of said) counts[one] += 1;
    if (said.every((one) => one === "unknown")) break;
  }
  const { known, ...telling } = counts;
  if (Object.values(telling).some((count) => count > 0))
    log("warn", "subscriptions_refreshed", { known, ...telling });
}

/** Fetches and writes one customer's state; forgets the customer if Stripe has deleted it. */
async function refresh(
  { billing }: Platform,
  payments: Payments,
  { customerId, version, status, currentPeriodEnd }: KnownCustomer,
): Promise<Said> {
  try {
    const now = await payments.subscriptionOf(customerId);
    await billing.write(customerId, version, now, null, Date.now());
    return now?.status === status && now.currentPeriodEnd === currentPeriodEnd ? "known" : "refreshed";
  } catch (error) {
    if (error instanceof CustomerUnknown) return "unknown";
    if (error instanceof RequestRefused) return "refused";
    if (!(error instanceof CustomerGone)) throw error;
    await billing.forgetCustomer(customerId, null, Date.now());
    return "refreshed";
  }
}
