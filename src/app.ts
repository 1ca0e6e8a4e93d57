import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { cvat } from "./integrations/cvat/route.ts";
import { labelStudio } from "./integrations/label-studio/route.ts";
import { mcp } from "./integrations/mcp/route.ts";
import { ServiceError } from "./shared/errors.ts";
import type { Env } from "./env.ts";
import { platform, type AppEnv } from "./http/context.ts";
import { respondWithError } from "./http/errors.ts";
import { crossOrigin } from "./http/middleware/cross-origin.ts";
import { requestLog } from "./http/middleware/request-log.ts";
import { mountOperations } from "./http/operations.ts";
import { inference } from "./http/routes/inference.ts";
import { leases } from "./http/routes/leases.ts";
import { operator } from "./http/routes/operator.ts";
import { pages } from "./http/routes/pages.ts";
import { studio } from "./http/routes/studio.ts";
import { webhooks } from "./http/routes/stripe-webhook.ts";
import { refuseOtherMethods } from "./http/wrong-method.ts";
import type { Platform } from "./platform.ts";

/**
 * Keeps answers out of every cache: they are private to an account, and some carry a secret or a signed URL (RFC 9111, 5.2.2.5).
 */
const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.header("cache-control", "no-store");
});

const DOUBLED_PREFIX =
  "The path has the prefix /v1 twice, because the client's base URL ends in /v1. Remove /v1 from the base URL.";

/**
 * The HTTP application: middleware first, then the routes, then the answer to every other path.
 * @param platformOf the composition root
 */
export function createApp(platformOf: (env: Env) => Platform): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
    .use(requestLog)
    .use(async (c, next) => {
      c.set("platform", () => platformOf(c.env));
      await next();
    })
    .onError(respondWithError)
    .use("/v1/*", crossOrigin, noStore)
    .use("/internal/*", noStore)
    .use("/mcp/*", noStore)
    .use("/integrations/*", noStore)
    .use("/api/*", noStore)
    .route("/", pages)
    .route("/", mcp)
    .route("/integrations/label-studio", labelStudio)
    .route("/integrations/cvat/api", cvat)
    // CVAT takes a host and a port, and no path.
    .route("/api", cvat)
    .route("/studio", studio)
    .get("/healthz", (c) => {
      // A Worker with wrong settings is not healthy: it answers 500, and the log names the settings.
      platform(c);
      return c.json({ status: "ok" });
    })
    .route("/internal/leases", leases)
    .route("/internal/inference", inference)
    .route("/internal/operator", operator)
    .route("/webhooks", webhooks);
  refuseOtherMethods(app);
  mountOperations(app);
  return app.notFound((c) => {
    const isDoubled = /^\/v1\/+v1(?:\/|$)/.test(c.req.path);
    return respondWithError(new ServiceError("not_found", isDoubled ? DOUBLED_PREFIX : undefined), c);
  });
}
