import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { isJobId } from "../../shared/ids.ts";
import { log } from "../../shared/log.ts";
import type { AppEnv } from "../context.ts";

/** The name of a request's operation, or else its method and route, but never its URL. */
const operationOf = (c: Context<AppEnv>): string =>
  c.get("operation") ?? `${c.req.method} ${routePath(c, -1)}`;

/** Returns the job id in the path, if it has a job id's form: a client may put any string there, even a secret key. */
function jobIdOf(c: Context<AppEnv>): string | undefined {
  const named = c.req.param("jobId");
  return named !== undefined && isJobId(named) ? named : undefined;
}

/** Gives each request an id, and writes one log line for each answer, including errors; never with a header's content. */
export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  const requestId = crypto.randomUUID();
  const begun = Date.now();
  c.set("requestId", requestId);
  await next();
  c.header("x-request-id", requestId);
  log("info", "request", {
    requestId,
    operation: operationOf(c),
    status: c.res.status,
    error: c.get("error"),
    account: c.get("account")?.accountId,
    jobId: c.get("jobId") ?? c.get("lease")?.job ?? jobIdOf(c),
    // Time that the client chose to wait is not ours.
    ms: Date.now() - begun - (c.get("heldMs") ?? 0),
  });
});
