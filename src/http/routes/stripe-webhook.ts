import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { admitStripeEvent, receiveStripeEvent } from "../../billing/operations/receive-stripe-event.ts";
import { BYTES_PER_BYTE, boundedBody, holdingMemory } from "../bounded-body.ts";
import { platform, type AppEnv } from "../context.ts";

/** An event carries one object; this is many times the largest one's size. */
const MAX_EVENT_BYTES = 1_000_000;
const SIGNATURE = "stripe-signature";

/** Refuses a request that can't have a valid signature before reading its body. */
const signed = createMiddleware<AppEnv>(async (c, next) => {
  admitStripeEvent(platform(c), c.req.header(SIGNATURE));
  await next();
});

/** Route for the payment provider; its signature over the raw body is the credential. */
export const webhooks = new Hono<AppEnv>().post("/stripe", signed, async (c) => {
  const { size, read } = await boundedBody(c, MAX_EVENT_BYTES);
  // The account is not known yet: all senders together have one account's share.
  const receiving = holdingMemory(c, "stripe", BYTES_PER_BYTE * size, async () => {
    const body = new TextDecoder().decode(await read());
    await receiveStripeEvent(platform(c), body, c.req.header(SIGNATURE) ?? "");
  });
  // The answer waits for calls to the provider, which may give up first: the event still has its effect.
  c.executionCtx.waitUntil(receiving.catch(() => {}));
  await receiving;
  return c.json({ received: true });
});
