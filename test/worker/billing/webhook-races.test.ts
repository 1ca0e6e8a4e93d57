import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { present } from "../../support/at.ts";
import {
  billingRow,
  createSession,
  deliver,
  notedEvents,
  FakeStripe,
} from "../../support/worker/fakes/stripe.ts";
import { billingOf, modeOf, subscribed, webhookOf } from "../../support/worker/fixtures/subscriptions.ts";

describe("webhooks of the payment provider", () => {
  let stripe: FakeStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new FakeStripe();
    client = await newClient("trial");
  });

  /** Holds Stripe's next answer until it is released. */
  function holdNextAnswer(): { isHeld: Promise<void>; letGo: () => void } {
    const held = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    stripe.intercept = async (_request, pass) => {
      stripe.intercept = (_next, passNext) => passNext();
      const answer = await pass();
      held.resolve();
      await gate.promise;
      return answer;
    };
    return { isHeld: held.promise, letGo: () => gate.resolve() };
  }

  it("have their effect even if Stripe does not wait for the answer, as if a customer has many invoices", async () => {
    const { body } = await createSession(client, "checkout");
    await stripe.press(body.url);
    const { isHeld, letGo } = holdNextAnswer();
    const context = createExecutionContext();
    const unheard = worker.fetch(present(stripe.webhooks[0], "webhook"), env, context);
    await isHeld;
    const over = waitOnExecutionContext(context);
    letGo();
    await over;
    expect(await billingOf(client)).toMatchObject({ billing: { subscription_status: "active" }, events: 1 });
    expect((await unheard).status).toBe(200);
  });

  it("never write an answer of Stripe that is older than what another wrote meanwhile", async () => {
    const one = await subscribed(stripe, client);
    const { subscriptions } = stripe.fake;
    const slow = await webhookOf(stripe, [{ type: "invoice.updated", object: { customer: one.customer } }]);
    const held = holdNextAnswer();
    const slowly = deliver(slow);
    await held.isHeld;
    expect((await deliver(await webhookOf(stripe, subscriptions.failPayment(one)))).status).toBe(200);
    held.letGo();
    expect((await slowly).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
    expect(await deliver(slow).then(() => notedEvents())).toBe(5);
  });

  it("ask Stripe no third time when two others wrote meanwhile: the later one asked after the event had come", async () => {
    const one = await subscribed(stripe, client);
    const { subscriptions } = stripe.fake;
    const slow = await webhookOf(stripe, [{ type: "invoice.updated", object: { customer: one.customer } }]);
    const held = holdNextAnswer();
    const slowly = deliver(slow);
    await held.isHeld;
    await deliver(await webhookOf(stripe, subscriptions.failPayment(one)));
    await deliver(await webhookOf(stripe, subscriptions.giveUp(one)));
    const asked = stripe.calls.length;
    held.letGo();
    expect((await slowly).status).toBe(200);
    // The other half of its request, the invoices, and no further request.
    expect(stripe.calls).toHaveLength(asked + 1);
    expect(await modeOf(client)).toBe("blocked");
    const row = await billingRow(client);
    await deliver(slow);
    expect(await billingRow(client)).toEqual(row);
  });
});
