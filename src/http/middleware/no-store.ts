import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../context.ts";

/** Keeps answers out of every cache: they are an account's own, and some carry a secret or a signed URL (RFC 9111, 5.2.2.5). */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.header("cache-control", "no-store");
});
