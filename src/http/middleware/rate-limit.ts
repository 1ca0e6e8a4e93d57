import { createMiddleware } from "hono/factory";
import { ServiceError } from "../../core/errors.ts";
import { platform, type AppEnv } from "../context.ts";

/** The period of RATE_LIMIT in wrangler.toml: after it the account has its full rate again. */
const PERIOD_SECONDS = 60;

/** Holds an authenticated account to its rate of requests. */
export const rateLimit = createMiddleware<AppEnv>(async (c, next) => {
  if (!(await platform(c).requestRate.admits(c.var.account.accountId))) {
    throw new ServiceError("rate_limited", undefined, { retryAfterSeconds: PERIOD_SECONDS });
  }
  await next();
});
