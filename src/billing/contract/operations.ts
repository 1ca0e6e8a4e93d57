import { BillingUrl } from "./billing.ts";
import type { Operation } from "../../shared/api/operation.ts";

/** Common part: each opens a page of the payment provider. */
const PAGE = {
  method: "post",
  tag: "Billing",
  idempotencyKey: "required",
  status: 201,
  answer: BillingUrl,
  success: "The URL to open in the owner's browser.",
} as const;

/** Operations of the tag "Billing". */
export const BILLING_OPERATIONS = {
  createCheckout: {
    ...PAGE,
    path: "/v1/billing/checkout",
    summary: "Open a checkout session for the subscription",
    errors: ["subscription_exists", "payment_required", "payment_provider_failed", "billing_not_configured"],
  },
  createBillingPortal: {
    ...PAGE,
    path: "/v1/billing/portal",
    summary: "Open a billing portal session",
    errors: ["payment_provider_failed", "billing_not_configured"],
  },
} as const satisfies Record<string, Operation>;
