import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

export interface StripeError {
  readonly type: "invalid_request_error" | "idempotency_error" | "api_error";
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** An error in Stripe's shape. */
export const stripeError = (c: Context, status: 400 | 401 | 404 | 409 | 500, error: StripeError): Response =>
  c.json({ error }, status);

/** The error for a parameter that is missing, invalid or names an unknown object. */
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

/** A form's body as text. `text()` would log a warning in workerd, which does not treat forms as text. */
export const formText = async (c: Context): Promise<string> =>
  new TextDecoder().decode(await c.req.arrayBuffer());

interface Remembered {
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

/** Stripe's idempotency, in memory: the same key and parameters get the same response; other parameters or concurrent requests are refused. */
export function idempotency() {
  const known = new Map<string, Remembered>();
  const running = new Set<string>();
  return createMiddleware(async (c, next) => {
    const key = c.req.header("idempotency-key");
    if (c.req.method !== "POST" || key === undefined) return next();
    const request = `${c.req.path}\n${await formText(c)}`;
    const before = known.get(key);
    if (before !== undefined && before.request !== request) {
      return stripeError(c, 400, {
        type: "idempotency_error",
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    }
    if (before !== undefined) {
      return new Response(before.body, {
        status: before.status,
        headers: { "content-type": "application/json", "idempotent-replayed": "true" },
      });
    }
    if (running.has(key)) {
      return stripeError(c, 409, {
        type: "idempotency_error",
        code: "idempotency_key_in_use",
        message: `There is currently another in-progress request using this Idempotent Key: '${key}'.`,
      });
    }
    running.add(key);
    try {
      await next();
      // As with Stripe, refused parameters are not remembered.
      if (c.res.ok) known.set(key, { request, status: c.res.status, body: await c.res.clone().text() });
    } finally {
      running.delete(key);
    }
  });
}
