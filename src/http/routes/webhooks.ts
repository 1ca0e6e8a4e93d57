import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { ServiceError } from "../../core/errors.ts";
import { admitStripeEvent, receiveStripeEvent } from "../../services/receive-stripe-event.ts";
import { platform, type AppEnv } from "../context.ts";

/** An event carries one object; this is many times the largest one's size. */
const MAX_EVENT_BYTES = 1_000_000;
const SIGNATURE = "stripe-signature";

const bounded = bodyLimit({
  maxSize: MAX_EVENT_BYTES,
  onError: () => {
    throw new ServiceError("body_too_large", `The event is larger than ${MAX_EVENT_BYTES} bytes.`);
  },
});

/** Refuses a request that can't have a valid signature before reading its body. */
const signed = createMiddleware<AppEnv>(async (c, next) => {
  admitStripeEvent(platform(c), c.req.header(SIGNATURE));
  await next();
});

/** What the payment provider calls; its signature over the raw body is the credential. */
export const webhooks = new Hono<AppEnv>().post("/stripe", signed, bounded, async (c) => {
  const receiving = receiveStripeEvent(platform(c), await c.req.text(), c.req.header(SIGNATURE) ?? "");
  // It asks the provider, which may not wait so long for the answer: the event has its effect all the same.
  c.executionCtx.waitUntil(receiving.catch(() => {}));
  await receiving;
  return c.json({ received: true });
});
