import type { BillingUrl } from "../../contract/billing.ts";
import type { Platform } from "../../platform.ts";
import type { Account } from "../../stores/accounts/accounts.ts";
import { openBillingSession } from "../billing-session.ts";
import type { Once } from "../idempotency.ts";

/**
 * createBillingPortal: a page of the payment provider where the account manages its subscription and invoices.
 * @throws ServiceError as openBillingSession.
 */
export const createBillingPortal = (
  platform: Platform,
  account: Account,
  key: string | undefined,
): Promise<Once<BillingUrl>> =>
  openBillingSession(
    platform,
    account,
    { operation: "createBillingPortal", key },
    (payments, customerId, effectId) => payments.createPortal(customerId, `${effectId}-${customerId}`),
  );
