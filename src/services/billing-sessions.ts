import { BillingUrl } from "../contract/billing.ts";
import { standingOf } from "../core/access.ts";
import { sha256Hex } from "../core/digest.ts";
import { ServiceError } from "../core/errors.ts";
import type { Account } from "../stores/accounts.ts";
import type { Payments } from "../stores/payments.ts";
import { CustomerGone } from "../stores/stripe-failures.ts";
import type { Platform } from "../stores/platform.ts";
import { once, type Once } from "./idempotency.ts";

/** createCheckout: a page of the payment provider where the account subscribes. */
export const createCheckout = (
  platform: Platform,
  account: Account,
  key: string | undefined,
): Promise<Once<BillingUrl>> =>
  session(platform, account, { operation: "createCheckout", key }, async (payments, customerId) => {
    // In this order: a checkout that is paid before it can be closed is seen as a subscription.
    await payments.expireCheckouts(customerId);
    // Asked, not read: a webhook may be on its way, and a second subscription would be paid for.
    const subscription = await payments.subscriptionOf(customerId);
    if (standingOf(subscription?.status ?? null) !== "inactive") {
      throw new ServiceError("subscription_exists");
    }
    return payments.createCheckout(customerId, account.accountId);
  });

/** createBillingPortal: a page of the payment provider where the account manages its subscription and invoices. */
export const createBillingPortal = (
  platform: Platform,
  account: Account,
  key: string | undefined,
): Promise<Once<BillingUrl>> =>
  session(platform, account, { operation: "createBillingPortal", key }, (payments, customerId, effectId) =>
    payments.createPortal(customerId, `${effectId}-${customerId}`),
  );

/** Makes a URL for a customer. `effectId` is the same for each run of the same request. */
type UrlOf = (payments: Payments, customerId: string, effectId: string) => Promise<string>;

/** Makes a session's URL, once a key. */
async function session(
  platform: Platform,
  { accountId }: Account,
  request: { readonly operation: string; readonly key: string | undefined },
  urlOf: UrlOf,
): Promise<Once<BillingUrl>> {
  const { payments } = platform;
  if (payments === null) throw new ServiceError("billing_not_configured");
  return once(
    platform,
    { accountId, ...request, body: null },
    () => crypto.randomUUID(),
    BillingUrl,
    async (effectId) => {
      const answer = {
        url: await withCustomer(platform, payments, accountId, (id) => urlOf(payments, id, effectId)),
      };
      return { answer, remembered: answer };
    },
  );
}

/** Does something with the account's customer; with a new one where that one is deleted at the payment provider. */
async function withCustomer<T>(
  platform: Platform,
  payments: Payments,
  accountId: string,
  act: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await customerOf(platform, payments, accountId);
  try {
    return await act(customerId);
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error;
    await platform.billing.forgetCustomer(customerId, null, Date.now());
    return act(await customerOf(platform, payments, accountId));
  }
}

/** The account's customer, made at the first need. Two at once make the same one: the key is the account's. */
async function customerOf({ billing }: Platform, payments: Payments, accountId: string): Promise<string> {
  const { customerId, email, formerCustomers } = await billing.customerOf(accountId);
  if (customerId !== null) return customerId;
  // With another address Stripe would refuse a repetition for its parameters; after a deletion it would answer with the
  // deleted customer. Hence both are in the key.
  const key = `customer-${await sha256Hex(`${accountId} ${email} ${formerCustomers}`)}`;
  return billing.keepCustomer(accountId, await payments.createCustomer(accountId, email, key), Date.now());
}
