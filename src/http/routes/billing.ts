import { Hono } from "hono";
import { createBillingPortal } from "../../services/operations/create-billing-portal.ts";
import { createCheckout } from "../../services/operations/create-checkout.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { requireIdempotencyKey, respondOnce } from "../middleware/idempotency-key.ts";
import { wrongMethod } from "./wrong-method.ts";

/** Sessions at the payment provider. These operations have no body; if a request has one, nobody reads it. */
export const billing = new Hono<AppEnv>()
  .post("/checkout", authenticate, requireIdempotencyKey, async (c) =>
    respondOnce(c, await createCheckout(platform(c), c.var.account, c.var.idempotencyKey), 201),
  )
  .all("/checkout", wrongMethod("POST"))
  .post("/portal", authenticate, requireIdempotencyKey, async (c) =>
    respondOnce(c, await createBillingPortal(platform(c), c.var.account, c.var.idempotencyKey), 201),
  )
  .all("/portal", wrongMethod("POST"));
