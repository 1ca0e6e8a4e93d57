import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { log } from "../../core/log.ts";
import type { AppEnv } from "../context.ts";

/** Gives each request an id, and each answer, errors too, one log line: the route, never the URL or a header. */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  const requestId = crypto.randomUUID();
  const begun = Date.now();
  c.set("requestId", requestId);
  await next();
  c.header("x-request-id", requestId);
  log("info", "request", {
    requestId,
    operation: `${c.req.method} ${routePath(c, -1)}`,
    status: c.res.status,
    error: c.get("error"),
    account: c.get("account")?.accountId,
    jobId: c.get("jobId") ?? c.get("lease")?.job ?? c.req.param("jobId"),
    ms: Date.now() - begun,
  });
});
