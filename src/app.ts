import { Hono } from "hono";
import { ServiceError } from "./core/errors.ts";
import type { AppEnv } from "./http/context.ts";
import { respondWithError } from "./http/errors.ts";
import { requestLog } from "./http/middleware/request-log.ts";
import { wrongMethod } from "./http/routes/wrong-method.ts";
import { jobs } from "./http/routes/jobs.ts";
import { leases } from "./http/routes/leases.ts";
import { uploads } from "./http/routes/uploads.ts";

/** The HTTP application: middleware first, then the routes, then what no route took. */
export function createApp(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use(requestLog)
    .onError(respondWithError)
    .get("/healthz", (c) => c.json({ status: "ok" }))
    .all("/healthz", wrongMethod("GET"))
    .route("/v1/uploads", uploads)
    .route("/v1/jobs", jobs)
    .route("/internal/leases", leases)
    .notFound((c) => respondWithError(new ServiceError("not_found"), c));
}
