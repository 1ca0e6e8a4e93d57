import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { IdempotencyKey } from "../../contract/idempotency.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Once } from "../../services/idempotency.ts";
import type { AppEnv } from "../context.ts";

const idempotencyKey = (required: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const header = c.req.header("idempotency-key");
    if (header !== undefined || required) {
      const key = IdempotencyKey.safeParse(header);
      if (!key.success) throw new ServiceError("invalid_idempotency_key");
      c.set("idempotencyKey", key.data);
    }
    await next();
  });

/** Refuses a request without an Idempotency-Key. */
export const requireIdempotencyKey = idempotencyKey(true);

/** Accepts an Idempotency-Key, and a request without one. */
export const acceptIdempotencyKey = idempotencyKey(false);

/** Answers with what `once` gave; a header marks a replay. */
export function respondOnce<T extends object>(
  c: Context<AppEnv>,
  { answer, replayed }: Once<T>,
  status: 201 | 202,
): Response {
  if (replayed) c.header("idempotent-replayed", "true");
  return c.json(answer, status);
}
