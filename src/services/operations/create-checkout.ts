import type { BillingUrl } from "../../contract/billing.ts";
import { standingOf } from "../../core/accounts/access.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { openBillingSession } from "../billing-session.ts";
import type { Once } from "../idempotency.ts";

/**
 * createCheckout: a page of the payment provider where the account subscribes.
 * @throws ServiceError subscription_exists, and as openBillingSession.
 */
export const createCheckout = (
  platform: Platform,
  account: Account,
  key: string | undefined,
): Promise<Once<BillingUrl>> =>
  openBillingSession(
    platform,
    account,
    { operation: "createCheckout", key },
    async (payments, customerId) => {
      // In this order: a checkout that is paid before it can be closed is seen as a subscription.
      await payments.expireCheckouts(customerId);
      // Asked of the provider, not read from D1: a webhook may be on its way, and the customer would pay twice.
      const subscription = await payments.subscriptionOf(customerId);
      if (standingOf(subscription?.status ?? null) !== "inactive") {
        throw new ServiceError("subscription_exists");
      }
      return payments.createCheckout(customerId, account.accountId);
    },
  );
