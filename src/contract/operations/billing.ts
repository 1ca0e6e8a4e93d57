import { BillingUrl } from "../account.ts";
import type { Operation } from "../operation.ts";

/** Operations of the tag "Billing". */
export const BILLING_OPERATIONS = {
  createCheckout: {
    method: "post",
    path: "/v1/billing/checkout",
    tag: "Billing",
    summary: "Open a checkout session for the subscription",
    idempotencyKey: "required",
    status: 201,
    answer: BillingUrl,
    success: "The URL to open in the owner's browser.",
    errors: ["subscription_exists", "payment_required", "payment_provider_failed", "billing_not_configured"],
  },
  createBillingPortal: {
    method: "post",
    path: "/v1/billing/portal",
    tag: "Billing",
    summary: "Open a billing portal session",
    idempotencyKey: "required",
    status: 201,
    answer: BillingUrl,
    success: "The URL to open in the owner's browser.",
    errors: ["payment_provider_failed", "billing_not_configured"],
  },
} as const satisfies Record<string, Operation>;
