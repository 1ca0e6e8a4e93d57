import { BillingUrl } from "../contract/billing.ts";
import { standingOf } from "../rules/access.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";
import type { Platform } from "../../platform.ts";
import type { Customer } from "../store/billing.ts";
import type { Payments } from "../store/payments.ts";
import { CustomerGone } from "../store/stripe-failures.ts";
import { once, type Once } from "../../shared/api/idempotency.ts";
import { logSparsely } from "../../shared/api/log-sparsely.ts";
import type { OperationRequest } from "../../operation-request.ts";

const DEBT =
  "An invoice of this account is overdue. Pay it in the billing portal; then the account can subscribe again.";

/**
 * createCheckout: a page of the payment provider where the account subscribes.
 * @throws ServiceError subscription_exists; payment_required if an invoice is overdue; and as openSession.
 */
export const createCheckout = (request: OperationRequest<"createCheckout">): Promise<Once<BillingUrl>> =>
  openSession(request, "createCheckout", async (payments, { customerId, version }) => {
    // In this order: a checkout that is paid before it can be closed is seen as a subscription.
    await payments.expireCheckouts(customerId);
    // Asks the provider instead of D1: a webhook may be on its way, and the customer would pay twice.
    const state = await payments.stateOf(customerId);
    const isSubscribed = standingOf(state.subscription?.status ?? null, false) !== "inactive";
    // Stores the state, in case no webhook comes: otherwise a new subscriber would have no access.
    if (isSubscribed || state.owes)
      await request.platform.billing.write(customerId, version, state, null, Date.now());
    if (isSubscribed) throw new ServiceError("subscription_exists");
    if (state.owes) throw new ServiceError("payment_required", DEBT);
    return payments.createCheckout(customerId, request.account.accountId);
  });

/**
 * createBillingPortal: a page of the payment provider where the account manages its subscription and invoices.
 * @throws ServiceError as openSession.
 */
export const createBillingPortal = (
  request: OperationRequest<"createBillingPortal">,
): Promise<Once<BillingUrl>> =>
  openSession(request, "createBillingPortal", (payments, { customerId }, effectId) =>
    payments.createPortal(customerId, `${effectId}-${customerId}`),
  );

/** Makes a URL for a customer. `effectId` is the same in each run of the same request. */
type UrlOf = (payments: Payments, customer: Customer, effectId: string) => Promise<string>;

/**
 * Opens a page of the payment provider for the account, once per Idempotency-Key.
 * @throws ServiceError billing_not_configured, rate_limited, payment_provider_failed, and as `once` and `urlOf`.
 */
async function openSession(
  { platform, account: { accountId }, idempotencyKey: key }: OperationRequest<"createBillingPortal">,
  operation: "createCheckout" | "createBillingPortal",
  urlOf: UrlOf,
): Promise<Once<BillingUrl>> {
  const { payments } = platform;
  if (payments === null) throw new ServiceError("billing_not_configured");
  return once(
    platform,
    { accountId, operation, key, body: null },
    () => crypto.randomUUID(),
    BillingUrl,
    async (effectId) => {
      await boundSessions(platform, accountId);
      const act = (customer: Customer) => urlOf(payments, customer, effectId);
      const url = await withCustomer(platform, payments, accountId, act);
      return { answer: { url }, remembered: { url } };
    },
  );
}

const HOUR_MS = 3_600_000;

/**
 * Limits how often an account makes us call the payment provider, which counts the calls of all accounts together. A
 * repeated request, which makes no call, is not counted.
 * @throws ServiceError rate_limited
 */
async function boundSessions(platform: Platform, accountId: string): Promise<void> {
  const { billing, settings } = platform;
  const { MAX_BILLING_SESSIONS_PER_HOUR: most } = settings;
  const now = Date.now();
  const hour = Math.floor(now / HOUR_MS);
  if (await billing.countSession(accountId, hour, most)) return;
  logSparsely(platform, "rate_exceeded", { account: accountId, of: "billing_sessions" });
  throw new ServiceError(
    "rate_limited",
    `This account has opened ${most} billing pages within the last hour. Use one of them. ${TRY_AGAIN}.`,
    { retryAfterSeconds: Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000) },
  );
}

/** Acts on the account's customer, or on a new one if the payment provider has deleted it. */
async function withCustomer<T>(
  platform: Platform,
  payments: Payments,
  accountId: string,
  act: (customer: Customer) => Promise<T>,
): Promise<T> {
  const customer = await customerOf(platform, payments, accountId);
  try {
    return await act(customer);
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error;
    await platform.billing.forgetCustomer(customer.customerId, null, Date.now());
    return act(await customerOf(platform, payments, accountId));
  }
}

/** The account's customer, created when first needed. Simultaneous requests create the same one: the key is the account's. */
async function customerOf({ billing }: Platform, payments: Payments, accountId: string): Promise<Customer> {
  const { customer, email, formerCustomers } = await billing.customerOf(accountId);
  if (customer !== null) return customer;
  // Stripe would answer with a deleted customer; the key therefore contains how many there were.
  const key = `customer-${await sha256Hex(`${accountId} ${formerCustomers}`)}`;
  return billing.keepCustomer(accountId, await payments.createCustomer(accountId, email, key), Date.now());
}
