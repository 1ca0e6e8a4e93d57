import { Hono } from "hono";
import { ServiceError } from "./core/errors.ts";
import type { Env } from "./env.ts";
import { platform, type AppEnv } from "./http/context.ts";
import { respondWithError } from "./http/errors.ts";
import { crossOrigin } from "./http/middleware/cross-origin.ts";
import { noStore } from "./http/middleware/no-store.ts";
import { requestLog } from "./http/middleware/request-log.ts";
import { account } from "./http/routes/account.ts";
import { apiKeys } from "./http/routes/api-keys.ts";
import { billing } from "./http/routes/billing.ts";
import { wrongMethod } from "./http/routes/wrong-method.ts";
import { jobs } from "./http/routes/jobs.ts";
import { leases } from "./http/routes/leases.ts";
import { model } from "./http/routes/model.ts";
import { operator } from "./http/routes/operator.ts";
import { pages } from "./http/routes/pages.ts";
import { studio } from "./http/routes/studio.ts";
import { uploads } from "./http/routes/uploads.ts";
import { webhookEndpoints } from "./http/routes/webhook-endpoints.ts";
import { webhooks } from "./http/routes/webhooks.ts";
import type { Platform } from "./platform.ts";

/**
 * The HTTP application: middleware first, then the routes, then the answer to every other path.
 * @param platformOf the composition root
 */
export function createApp(platformOf: (env: Env) => Platform): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use(requestLog)
    .use(async (c, next) => {
      c.set("platform", () => platformOf(c.env));
      await next();
    })
    .onError(respondWithError)
    .use("/v1/*", crossOrigin, noStore)
    .use("/internal/*", noStore)
    .route("/", pages)
    .route("/studio", studio)
    .get("/healthz", (c) => {
      // A Worker with wrong settings is not healthy: it answers 500, and the log names the settings.
      platform(c);
      return c.json({ status: "ok" });
    })
    .all("/healthz", wrongMethod("GET"))
    .route("/v1/uploads", uploads)
    .route("/v1/jobs", jobs)
    .route("/v1/account", account)
    .route("/v1/model", model)
    .route("/v1/api-keys", apiKeys)
    .route("/v1/webhook-endpoints", webhookEndpoints)
    .route("/v1/billing", billing)
    .route("/internal/leases", leases)
    .route("/internal/operator", operator)
    .route("/webhooks", webhooks)
    .notFound((c) => respondWithError(new ServiceError("not_found"), c));
}
