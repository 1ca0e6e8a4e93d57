import { Stripe } from "stripe";
import { ServiceError } from "../../shared/errors.ts";
import { log, reasonOf } from "../../shared/log.ts";

/** The payment provider has deleted the customer. */
export class CustomerGone extends ServiceError {
  constructor() {
    super("payment_provider_failed");
  }
}

/** Stripe refused the request itself; it is available, and may accept another. */
export class RequestRefused extends ServiceError {
  constructor() {
    super("payment_provider_failed");
  }
}

/** Stripe never had the customer, as far as our secret key can see: the key may belong to another account or mode. */
export class CustomerUnknown extends RequestRefused {}

/** Returns true if Stripe refused the request itself, and would refuse it again. */
export const isRefused = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError;

/** Returns true if Stripe accepts none of our requests: a wrong key, a missing permission, or too many requests. */
export const isTurnedAway = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeAuthenticationError ||
  error instanceof Stripe.errors.StripePermissionError ||
  error instanceof Stripe.errors.StripeRateLimitError;

/** Returns true if Stripe answered that the object named by a parameter does not exist. */
export const isMissing = (error: unknown, param: string): boolean =>
  isRefused(error) && error.code === "resource_missing" && error.param === param;

/** Returns true if Stripe answered that it knows the identifier; it has no error code for this. */
export const isKnownIdentifier = (error: unknown): boolean =>
  isRefused(error) &&
  (error.code === "duplicate_meter_event" || /event already exists with identifier/i.test(error.message));

/**
 * Calls Stripe.
 * @throws ServiceError payment_provider_failed (RequestRefused if applicable) after logging the reason; and any error of `ask`.
 */
export async function asked<Answer>(operation: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const failure = failed(operation, error);
    throw isRefused(error) ? new RequestRefused() : failure;
  }
}

/** Logs what identifies the failure in Stripe's dashboard, but not Stripe's messages, which may quote a key or an address. */
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
