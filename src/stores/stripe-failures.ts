import { Stripe } from "stripe";
import { ServiceError } from "../core/errors.ts";
import { log, reasonOf } from "../core/log.ts";

/** The payment provider has deleted the customer. */
export class CustomerGone extends ServiceError {
  constructor() {
    super("payment_provider_failed");
  }
}

/** Whether Stripe refused the request itself, and would refuse it again. */
export const isRefused = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError;

/** Stripe's answer for a deleted customer. A customer of the other mode exists: then our secret key is the wrong one. */
const isCustomerGone = (error: unknown): boolean =>
  isRefused(error) &&
  error.code === "resource_missing" &&
  error.param === "customer" &&
  !/similar object exists in/i.test(error.message);

/** Stripe's answer to an identifier that it knows; it has no error code for this. */
export const isKnownIdentifier = (error: unknown): boolean =>
  isRefused(error) &&
  (error.code === "duplicate_meter_event" || /event already exists with identifier/i.test(error.message));

/** Calls Stripe. @throws CustomerGone, or ServiceError payment_provider_failed after the reason is logged. */
export async function asked<Answer>(operation: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (isCustomerGone(error)) {
      log("warn", "customer_gone", { operation });
      throw new CustomerGone();
    }
    throw failed(operation, error);
  }
}

/** Logs what finds the failure in Stripe's dashboard. Stripe's own sentences may quote a key or an address. */
export function failed(
  operation: string,
  error: unknown,
  fields: Record<string, unknown> = {},
): ServiceError {
  const reason =
    error instanceof Stripe.errors.StripeError
      ? {
          type: error.type,
          status: error.statusCode,
          code: error.code,
          param: error.param,
          stripeRequestId: error.requestId,
          detail: error.detail instanceof Error ? reasonOf(error.detail) : undefined,
        }
      : { reason: reasonOf(error) };
  log("error", "payment_provider_failed", { operation, ...reason, ...fields });
  return new ServiceError("payment_provider_failed");
}
