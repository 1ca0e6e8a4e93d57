import { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { billingSettingsOf } from "../../../src/feature-settings.ts";
import { Payments } from "../../../src/billing/store/payments.ts";
import { type Client, newClient, send } from "../../support/worker/client/api.ts";
import { present } from "../../support/at.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { settledJob } from "../../support/worker/fixtures/ledger.ts";
import {
  billingRow,
  createSession,
  deliver,
  notedEvents,
  FakeStripe,
  sendWithoutBilling,
} from "../../support/worker/fakes/stripe.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import {
  billingOf,
  modeOf,
  subscribed,
  subscriptionOf,
  webhookOf,
} from "../../support/worker/fixtures/subscriptions.ts";

describe("webhooks of the payment provider", () => {
  let stripe: FakeStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new FakeStripe();
    client = await newClient("trial");
  });

  it("decide the access mode, from the account's very next request on [4.10-11]", async () => {
    const { subscriptions, webhooks } = stripe.fake;
    expect(await modeOf(client)).toBe("trial");
    const one = await subscribed(stripe, client);
    expect(await modeOf(client)).toBe("paid");
    for (const [step, mode, status] of [
      ["failPayment", "blocked", "past_due"],
      ["giveUp", "blocked", "unpaid"],
      ["payInvoice", "paid", "active"],
      ["cancel", "trial", "canceled"],
    ] as const) {
      await webhooks.deliver(subscriptions[step](one));
      await stripe.deliverAll();
      expect({ mode: await modeOf(client), status: one.status }).toEqual({ mode, status });
    }
  });

  it("bring the period's end and the latest invoice's status with them", async () => {
    const { periodEnd, id } = await subscribed(stripe, client);
    expect(await billingRow(client)).toMatchObject({
      subscription_id: id,
      subscription_status: "active",
      current_period_end: periodEnd * 1_000,
      latest_invoice_status: "paid",
    });
  });

  it("are refused with a missing, forged or stale signature, and have no effect [4.10-13]", async () => {
    await createSession(client, "checkout");
    const webhook = await webhookOf(stripe, stripe.fake.subscriptions.begin(stripe.customerOf(client)));
    const body = await webhook.clone().text();
    const signature = present(webhook.headers.get("stripe-signature"), "signature");
    const forged = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret: "whsec_of_somebody_else",
      cryptoProvider: Stripe.createSubtleCryptoProvider(),
    });
    const refused: [string, Record<string, string>][] = [
      [body, {}],
      [body, { "stripe-signature": "" }],
      [body, { "stripe-signature": "t=1,v1=zz" }],
      [body, { "stripe-signature": forged }],
      [body, { "stripe-signature": signature.replace(/t=\d+/, "t=99999999999") }],
      [`${body} `, { "stripe-signature": signature }],
      ["", { "stripe-signature": signature }],
    ];
    for (const [text, headers] of refused) {
      const answer = await send("POST", "/webhooks/stripe", { body: text, headers });
      expectError(answer, 400, "invalid_signature");
    }
    later(302_000);
    expectError(await deliver(webhook), 400, "invalid_signature");
    expect(await notedEvents()).toBe(0);
    expect(await modeOf(client)).toBe("trial");
    later(-10_000);
    expect((await deliver(webhook)).body).toEqual({ received: true });
    expect(await modeOf(client)).toBe("paid");
  });

  it("are bounded, taken by POST alone, and nowhere without billing", async () => {
    const body = "x".repeat(1_000_001);
    const headers = { "stripe-signature": `t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}` };
    expectError(await send("POST", "/webhooks/stripe", { headers, body }), 400, "body_too_large");
    expectError(await send("GET", "/webhooks/stripe"), 405, "method_not_allowed");
    const request = new Request("https://api.test/webhooks/stripe", { method: "POST", body: "{}" });
    expectError(await sendWithoutBilling(request), 404, "not_found");
  });

  it("have their effect once: a known event asks Stripe for nothing [4.10-12]", async () => {
    const webhook = await webhookOf(
      stripe,
      stripe.fake.subscriptions.failPayment(await subscribed(stripe, client)),
    );
    expect((await deliver(webhook)).status).toBe(200);
    const before = { ...(await billingOf(client)), calls: stripe.calls.length };
    expect((await deliver(webhook)).status).toBe(200);
    expect({ ...(await billingOf(client)), calls: stripe.calls.length }).toEqual(before);
  });

  it("get 200 even for an unknown customer or an ignored event", async () => {
    const object = { customer: "cus_of_another_service" };
    for (const happening of [
      { type: "customer.subscription.updated", object },
      { type: "payment_method.attached", object },
      { type: "invoice.paid", object: {} },
    ]) {
      expect((await deliver(await webhookOf(stripe, [happening]))).status).toBe(200);
    }
    expect(await notedEvents()).toBe(0);
    expect(stripe.calls).toEqual([]);
  });

  it.each([
    ["a thin event", { id: "evt_1", object: "v2.core.event", type: "v1.customer.subscription.updated" }],
    ["an event without data", { id: "evt_1", object: "event", type: "customer.subscription.updated" }],
    ["an event without an object", { id: "evt_1", type: "invoice.paid", data: { object: null } }],
    ["an event of which nothing is known", { object: "event" }],
    ["a list", [1]],
    ["text", "ping"],
  ])("are answered 200, logged and ignored if Stripe has signed %s", async (_, event) => {
    const payload = typeof event === "string" ? event : JSON.stringify(event);
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: present(billingSettingsOf(home.platform.settings)).webhookSecret,
      cryptoProvider: Stripe.createSubtleCryptoProvider(),
    });
    const lines = logged();
    const sent = (body: string) =>
      deliver(
        new Request("https://api.test/webhooks/stripe", {
          method: "POST",
          headers: { "stripe-signature": signature },
          body,
        }),
      );
    expect((await sent(payload)).status).toBe(200);
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "warn", event: "stripe_event", outcome: "without_object" }),
    );
    expect(await notedEvents()).toBe(0);
    expectError(await sent(`${payload} `), 400, "invalid_signature");
  });

  it("are answered 502 when Stripe can't be asked, and have their effect when they come again", async () => {
    const webhook = await webhookOf(
      stripe,
      stripe.fake.subscriptions.failPayment(await subscribed(stripe, client)),
    );
    const noted = await notedEvents();
    stripe.intercept = async () => new Response("down", { status: 503 });
    expectError(await deliver(webhook), 502, "payment_provider_failed");
    expect(await notedEvents()).toBe(noted);
    expect(await modeOf(client)).toBe("paid");
    stripe.intercept = (_request, pass) => pass();
    expect((await deliver(webhook)).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
  });

  it.each([
    ["the event can't be noted", "INSERT ON stripe_events"],
    ["the state can't be written", "UPDATE ON billing"],
  ])("write event and effect together: when %s, neither is there", async (_, write) => {
    const webhook = await webhookOf(
      stripe,
      stripe.fake.subscriptions.failPayment(await subscribed(stripe, client)),
    );
    const before = await billingOf(client);
    await home.DB.exec(`CREATE TRIGGER broken BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    expectError(await deliver(webhook), 500, "internal_error");
    expect(await billingOf(client)).toEqual(before);
    await home.DB.exec("DROP TRIGGER broken");
    expect((await deliver(webhook)).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
  });

  it("count subscriptions to the service's price alone, with any others of the customer [4.10-22]", async () => {
    const { subscriptions, webhooks } = stripe.fake;
    await createSession(client, "checkout");
    const customer = stripe.customerOf(client);
    await webhooks.deliver(subscriptions.begin(customer, "price_of_a_newsletter"));
    expect(await stripe.deliverAll()).not.toContain(500);
    expect(await modeOf(client)).toBe("trial");

    // It does not prevent a checkout, either, and does not replace the one in arrears.
    await stripe.subscribe(client);
    expect(await modeOf(client)).toBe("paid");
    const own = present(
      subscriptions.of(customer).find(({ price }) => price === null),
      "subscription",
    );
    await webhooks.deliver(subscriptions.failPayment(own));
    await webhooks.deliver(subscriptions.begin(customer, "price_of_a_newsletter"));
    await stripe.deliverAll();
    expect(await modeOf(client)).toBe("blocked");
    expect(await billingRow(client)).toMatchObject({ subscription_id: own.id });
  });

  it("count subscriptions to a price that the service had before, if the operator names it [4.10-22]", async () => {
    const { subscriptions } = stripe.fake;
    await createSession(client, "checkout");
    const customer = stripe.customerOf(client);
    subscriptions.begin(customer, "price_of_last_year");
    const settings = billingSettingsOf({
      ...home.platform.settings,
      STRIPE_FORMER_PRICE_IDS: ["price_of_last_year"],
    });
    const payments = new Payments(present(settings, "settings"));
    expect(await payments.subscriptionOf(customer)).toMatchObject({ status: "active" });
    expect(await home.platform.payments?.subscriptionOf(customer)).toBeNull();
  });

  it("use the best subscription of a customer with several", async () => {
    const { subscriptions, webhooks } = stripe.fake;
    const first = await subscribed(stripe, client);
    await webhooks.deliver(subscriptions.begin(first.customer));
    await webhooks.deliver(subscriptions.failPayment(subscriptionOf(stripe, client)));
    await stripe.deliverAll();
    expect(await billingRow(client)).toMatchObject({ subscription_id: first.id });
    await webhooks.deliver(subscriptions.cancel(first));
    await stripe.deliverAll();
    expect(await modeOf(client)).toBe("blocked");
  });

  it.each([
    ["in Stripe's order", false],
    ["the other way round", true],
  ])(
    "of a deleted customer, %s, make the account a trial again, and the next checkout a new customer",
    async (_, isReversed) => {
      const { customer } = await subscribed(stripe, client);
      const noted = await notedEvents();
      await stripe.deleteCustomer(client);
      if (isReversed) stripe.webhooks.reverse();
      expect(await stripe.deliverAll()).toEqual([200, 200]);
      expect(await modeOf(client)).toBe("trial");
      expect(await billingRow(client)).toBeNull();
      expect(await notedEvents()).toBe(noted + 1);
      await stripe.subscribe(client);
      expect(await modeOf(client)).toBe("paid");
      expect(await billingRow(client)).toMatchObject({ customer_id: stripe.customerOf(client) });
      expect(stripe.customerOf(client)).not.toBe(customer);
    },
  );

  it("forget a deleted customer and note the event together, or neither", async () => {
    await subscribed(stripe, client);
    await stripe.deleteCustomer(client);
    const webhook = stripe.webhooks.pop();
    if (webhook === undefined) throw new Error("Stripe sent no webhook");
    const before = await billingOf(client);
    await home.DB.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON stripe_events BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    expectError(await deliver(webhook), 500, "internal_error");
    expect(await billingOf(client)).toEqual(before);
    await home.DB.exec("DROP TRIGGER broken");
    for (let i = 0; i < 2; i += 1) expect((await deliver(webhook)).status).toBe(200);
    expect(await billingRow(client)).toBeNull();
  });

  it("are logged with their outcome, even if the end of a subscription or customer writes more rows", async () => {
    const ended = await subscribed(stripe, client);
    await settledJob(client.accountId, { units: 3, fund: "paid", endedAt: Date.now() });
    const lines = logged();
    await stripe.fake.webhooks.deliver(stripe.fake.subscriptions.cancel(ended));
    await stripe.deliverAll();
    await stripe.deleteCustomer(client);
    await stripe.deliverAll();
    const outcomes = lines()
      .filter(({ event }) => event === "stripe_event")
      .map(({ type, outcome }) => [type, outcome]);
    expect(outcomes).toEqual([
      ["customer.subscription.deleted", "written"],
      ["customer.subscription.deleted", "forgotten"],
      ["customer.deleted", "unknown_customer"],
    ]);
  });
});
