import { BillingUrl } from "../contract/billing.ts";
import { sha256Hex } from "../core/digest.ts";
import { ServiceError } from "../core/errors.ts";
import type { Account } from "../stores/accounts.ts";
import type { Payments } from "../stores/payments.ts";
import { CustomerGone } from "../stores/stripe-failures.ts";
import type { Platform } from "../platform.ts";
import { once, type Once } from "./idempotency.ts";

/** Makes a URL for a customer. `effectId` is the same in each run of the same request. */
type UrlOf = (payments: Payments, customerId: string, effectId: string) => Promise<string>;

/**
 * Opens a page of the payment provider for the account, once per Idempotency-Key.
 * @throws ServiceError billing_not_configured, payment_provider_failed, and as `once` and `urlOf`.
 */
export async function openBillingSession(
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

/** Does something with the account's customer; with a new one if the payment provider has deleted that one. */
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

/** The account's customer, created when first needed. Two requests at once create the same one: the key is the account's. */
async function customerOf({ billing }: Platform, payments: Payments, accountId: string): Promise<string> {
  const { customerId, email, formerCustomers } = await billing.customerOf(accountId);
  if (customerId !== null) return customerId;
  // With another address Stripe would refuse a repetition for its parameters; after a deletion it would answer with the
  // deleted customer. Hence both are in the key.
  const key = `customer-${await sha256Hex(`${accountId} ${email} ${formerCustomers}`)}`;
  return billing.keepCustomer(accountId, await payments.createCustomer(accountId, email, key), Date.now());
}
