import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ServiceError } from "../../core/errors.ts";
import { receiveStripeEvent } from "../../services/receive-stripe-event.ts";
import { platform, type AppEnv } from "../context.ts";
import { wrongMethod } from "./wrong-method.ts";

/** An event carries one object; this is many times the size of the largest. */
const MAX_EVENT_BYTES = 1_000_000;

const bounded = bodyLimit({
  maxSize: MAX_EVENT_BYTES,
  onError: () => {
    throw new ServiceError("body_too_large", `The event is larger than ${MAX_EVENT_BYTES} bytes.`);
  },
});

/** What the payment provider calls; its signature over the raw body is the credential. */
export const webhooks = new Hono<AppEnv>()
  .post("/stripe", bounded, async (c) => {
    await receiveStripeEvent(platform(c), await c.req.text(), c.req.header("stripe-signature"));
    return c.json({ received: true });
  })
  .all("/stripe", wrongMethod("POST"));
