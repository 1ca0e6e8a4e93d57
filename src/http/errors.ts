import type { Context } from "hono";
import type { ErrorObject } from "../shared/api/error.ts";
import { ServiceError } from "../shared/errors.ts";
import { log, reasonOf } from "../shared/log.ts";
import type { AppEnv } from "./context.ts";

/**
 * Returns any failure as an error for the wire. An error that is not a ServiceError is our fault; its reason stays in the log.
 */
const wireError = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError("internal_error");

/** Answers a request with an error: the one place that builds an error body. */
export function respondWithError(error: unknown, c: Context<AppEnv>): Response {
  const wire = wireError(error);
  if (wire.status === 500) {
    log("error", "request_failed", { requestId: c.get("requestId"), reason: reasonOf(error) });
  }
  if (wire.code === "Unauthorized") c.header("www-authenticate", "Bearer");
  if (wire.hints.retryAfterSeconds !== undefined) {
    c.header("retry-after", String(wire.hints.retryAfterSeconds));
  }
  c.set("error", wire.code);
  const body: ErrorObject = { error: wire.code, message: wire.message, ...wire.hints };
  return c.json(body, wire.status);
}
