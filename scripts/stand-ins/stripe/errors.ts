import type { Context } from "hono";

export interface StripeError {
  readonly type: "invalid_request_error" | "idempotency_error" | "api_error";
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** An error in Stripe's shape. */
export const stripeError = (c: Context, status: 400 | 401 | 404 | 409 | 500, error: StripeError): Response =>
  c.json({ error }, status);

/** The error for a parameter that is missing, invalid or names nothing that exists. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
  readonly param: string;
  readonly code: string | undefined;

  constructor(param: string, message: string, code?: string) {
    super(message);
    this.param = param;
    this.code = code;
  }
}
