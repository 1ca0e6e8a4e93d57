import { env } from "cloudflare:workers";
import { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import type { Subscription } from "../../scripts/stand-ins/stripe/state.ts";
import { newClient, send, type Client } from "../support/worker/api.ts";
import { Draw } from "../support/worker/random.ts";
import {
  billingRow,
  createSession,
  deliver,
  PlayedStripe,
  sendWithoutBilling,
} from "../support/worker/stripe.ts";
import { later } from "../support/worker/time.ts";
import { expectError } from "../support/worker/wire.ts";

const notedEvents = () => env.DB.prepare("SELECT count(*) AS n FROM stripe_events").first<number>("n");

const modeOf = async (client: Client): Promise<string> =>
  (await client.send("GET", "/v1/account/overview")).body.access.mode;

describe("webhooks of the payment provider", () => {
  let stripe: PlayedStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new PlayedStripe();
    client = await newClient("trial");
  });

  /** Has the client subscribe, and its subscription. */
  async function subscribed(): Promise<Subscription> {
    await stripe.subscribe(client);
    return subscription();
  }

  function subscription(): Subscription {
    const [newest] = stripe.standIn.subscriptions.of(stripe.customerOf(client));
    if (newest === undefined) throw new Error("there is no subscription");
    return newest;
  }

  /** The webhook of something that happened. */
  async function webhookOf(happenings: { type: string; object: object }[]): Promise<Request> {
    stripe.webhooks.length = 0;
    await stripe.standIn.webhooks.tell(happenings);
    const webhook = stripe.webhooks.pop();
    if (webhook === undefined) throw new Error("Stripe sent no webhook");
    return webhook;
  }

  it("decide the access mode, from the account's very next request on", async () => {
    const { subscriptions, webhooks } = stripe.standIn;
    expect(await modeOf(client)).toBe("trial");
    const one = await subscribed();
    expect(await modeOf(client)).toBe("paid");
    for (const [step, mode, status] of [
      ["failPayment", "blocked", "past_due"],
      ["giveUp", "blocked", "unpaid"],
      ["payInvoice", "paid", "active"],
      ["cancel", "trial", "canceled"],
    ] as const) {
      await webhooks.tell(subscriptions[step](one));
      await stripe.deliverAll();
      expect([await modeOf(client), one.status]).toEqual([mode, status]);
    }
  });

  it("bring the period's end and the latest invoice's status with them", async () => {
    const { periodEnd, id } = await subscribed();
    expect(await billingRow(client)).toMatchObject({
      subscription_id: id,
      subscription_status: "active",
      current_period_end: periodEnd * 1_000,
      latest_invoice_status: "paid",
    });
  });

  it("are refused with a missing, forged or stale signature, and have no effect", async () => {
    await createSession(client, "checkout");
    const webhook = await webhookOf(stripe.standIn.subscriptions.begin(stripe.customerOf(client)));
    const body = await webhook.clone().text();
    const signature = webhook.headers.get("stripe-signature") ?? "";
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
    expect([await notedEvents(), await modeOf(client)]).toEqual([0, "trial"]);
    later(-10_000);
    expect((await deliver(webhook)).body).toEqual({ received: true });
    expect(await modeOf(client)).toBe("paid");
  });

  it("are bounded, taken by POST alone, and nowhere without billing", async () => {
    const body = "x".repeat(1_000_001);
    expectError(await send("POST", "/webhooks/stripe", { body }), 400, "body_too_large");
    expectError(await send("GET", "/webhooks/stripe"), 405, "method_not_allowed");
    const request = new Request("https://api.test/webhooks/stripe", { method: "POST", body: "{}" });
    expectError(await sendWithoutBilling(request), 404, "not_found");
  });

  it("have their effect once: a known event asks Stripe for nothing", async () => {
    const webhook = await webhookOf(stripe.standIn.subscriptions.failPayment(await subscribed()));
    expect((await deliver(webhook)).status).toBe(200);
    const before = [stripe.calls.length, await billingRow(client)];
    expect((await deliver(webhook)).status).toBe(200);
    expect([stripe.calls.length, await billingRow(client)]).toEqual(before);
  });

  it("are answered 200 also when they are of an unknown customer or of no interest", async () => {
    const object = { customer: "cus_of_another_service" };
    for (const happening of [
      { type: "customer.subscription.updated", object },
      { type: "payment_method.attached", object },
      { type: "invoice.paid", object: {} },
    ]) {
      expect((await deliver(await webhookOf([happening]))).status).toBe(200);
    }
    expect([await notedEvents(), stripe.calls.length]).toEqual([0, 0]);
  });

  it("are answered 502 when Stripe can't be asked, and have their effect when they come again", async () => {
    const webhook = await webhookOf(stripe.standIn.subscriptions.failPayment(await subscribed()));
    const noted = await notedEvents();
    stripe.intercept = async () => new Response("down", { status: 503 });
    expectError(await deliver(webhook), 502, "payment_provider_failed");
    expect([await notedEvents(), await modeOf(client)]).toEqual([noted, "paid"]);
    stripe.intercept = (_request, pass) => pass();
    expect((await deliver(webhook)).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
  });

  it.each([
    ["the event can't be noted", "INSERT ON stripe_events"],
    ["the state can't be written", "UPDATE ON billing"],
  ])("write event and effect together: when %s, neither is there", async (_, write) => {
    const webhook = await webhookOf(stripe.standIn.subscriptions.failPayment(await subscribed()));
    const before = [await billingRow(client), await notedEvents()];
    await env.DB.exec(`CREATE TRIGGER broken BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    expectError(await deliver(webhook), 500, "internal_error");
    expect([await billingRow(client), await notedEvents()]).toEqual(before);
    await env.DB.exec("DROP TRIGGER broken");
    expect((await deliver(webhook)).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
  });

  it("let the best-standing subscription speak for a customer who has several", async () => {
    const { subscriptions, webhooks } = stripe.standIn;
    const first = await subscribed();
    await webhooks.tell(subscriptions.begin(first.customer));
    await webhooks.tell(subscriptions.failPayment(subscription()));
    await stripe.deliverAll();
    expect(await billingRow(client)).toMatchObject({ subscription_id: first.id });
    await webhooks.tell(subscriptions.cancel(first));
    await stripe.deliverAll();
    expect(await modeOf(client)).toBe("blocked");
  });

  it.each([
    ["in Stripe's order", false],
    ["the other way round", true],
  ])(
    "of a deleted customer, %s, make the account a trial again, and the next checkout a new customer",
    async (_, isReversed) => {
      const { customer } = await subscribed();
      const noted = (await notedEvents()) ?? 0;
      await stripe.deleteCustomer(client);
      if (isReversed) stripe.webhooks.reverse();
      expect(await stripe.deliverAll()).toEqual([200, 200]);
      expect([await modeOf(client), await billingRow(client), await notedEvents()]).toEqual([
        "trial",
        null,
        noted + 1,
      ]);
      await stripe.subscribe(client);
      expect(await modeOf(client)).toBe("paid");
      expect(await billingRow(client)).toMatchObject({ customer_id: stripe.customerOf(client) });
      expect(stripe.customerOf(client)).not.toBe(customer);
    },
  );

  it("of a deleted customer forget it together with noting the event, or neither", async () => {
    await subscribed();
    await stripe.deleteCustomer(client);
    const webhook = stripe.webhooks.pop();
    if (webhook === undefined) throw new Error("Stripe sent no webhook");
    const before = [await billingRow(client), await notedEvents()];
    await env.DB.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON stripe_events BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    expectError(await deliver(webhook), 500, "internal_error");
    expect([await billingRow(client), await notedEvents()]).toEqual(before);
    await env.DB.exec("DROP TRIGGER broken");
    for (let i = 0; i < 2; i += 1) expect((await deliver(webhook)).status).toBe(200);
    expect(await billingRow(client)).toBeNull();
  });

  /** Holds Stripe's next answer, as it is at that moment, until it is let go. */
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

  it("never write an answer of Stripe that is older than what another wrote meanwhile", async () => {
    const one = await subscribed();
    const { subscriptions } = stripe.standIn;
    const slow = await webhookOf([{ type: "invoice.updated", object: { customer: one.customer } }]);
    const held = holdNextAnswer();
    const slowly = deliver(slow);
    await held.isHeld;
    expect((await deliver(await webhookOf(subscriptions.failPayment(one)))).status).toBe(200);
    held.letGo();
    expect((await slowly).status).toBe(200);
    expect(await modeOf(client)).toBe("blocked");
    expect(await deliver(slow).then(() => notedEvents())).toBe(5);
  });

  it("ask Stripe no third time when two others wrote meanwhile: the later one asked after the event had come", async () => {
    const one = await subscribed();
    const { subscriptions } = stripe.standIn;
    const slow = await webhookOf([{ type: "invoice.updated", object: { customer: one.customer } }]);
    const held = holdNextAnswer();
    const slowly = deliver(slow);
    await held.isHeld;
    await deliver(await webhookOf(subscriptions.failPayment(one)));
    await deliver(await webhookOf(subscriptions.giveUp(one)));
    const asked = stripe.calls.length;
    held.letGo();
    expect((await slowly).status).toBe(200);
    expect([stripe.calls.length, await modeOf(client)]).toEqual([asked, "blocked"]);
    const row = await billingRow(client);
    await deliver(slow);
    expect(await billingRow(client)).toEqual(row);
  });
});

describe("a history of webhooks", () => {
  const STEPS = {
    none: ["begin"],
    active: ["failPayment", "cancel"],
    past_due: ["payInvoice", "giveUp", "cancel"],
    unpaid: ["payInvoice", "cancel"],
    canceled: ["begin"],
  } as const;
  type Step = (typeof STEPS)[keyof typeof STEPS][number];
  const AFTER = {
    begin: { status: "active", invoice: "paid" },
    failPayment: { status: "past_due", invoice: "open" },
    giveUp: { status: "unpaid", invoice: "uncollectible" },
    payInvoice: { status: "active", invoice: "paid" },
    cancel: { status: "canceled", invoice: null },
  } as const;

  /** An account and what its history, in order, comes to. */
  interface Told {
    readonly client: Client;
    status: keyof typeof STEPS;
    invoice: string | null;
  }

  /** Lets something happen to an account's subscription; the webhooks that tell of it. */
  async function happen(stripe: PlayedStripe, told: Told, draw: Draw): Promise<Request[]> {
    const { subscriptions, webhooks } = stripe.standIn;
    const customer = stripe.customerOf(told.client);
    const step = draw.oneOf<Step>(STEPS[told.status]);
    const [newest] = subscriptions.of(customer);
    await webhooks.tell(
      step === "begin" || newest === undefined ? subscriptions.begin(customer) : subscriptions[step](newest),
    );
    told.status = AFTER[step].status;
    told.invoice = AFTER[step].invoice ?? told.invoice;
    return stripe.webhooks.splice(0);
  }

  it("of 500 events, in any order, each one to three times and many at once, ends as the ordered one does", async () => {
    const draw = new Draw();
    const stripe = new PlayedStripe();
    const accounts: Told[] = [];
    for (let i = 0; i < 3; i += 1) {
      const client = await newClient("trial");
      await createSession(client, "checkout");
      accounts.push({ client, status: "none", invoice: null });
    }
    const turns = async (most: number): Promise<void> => {
      for (let left = draw.upTo(most); left > 0; left -= 1) await new Promise((next) => setTimeout(next, 0));
    };
    // Stripe answers at once, and the answer is on its way for a while.
    let underWay: () => Promise<void> = () => turns(3);
    stripe.intercept = async (_request, pass) => {
      const arrival = underWay;
      const answer = await pass();
      await arrival();
      return answer;
    };

    let events = 0;
    /** What is still to be delivered, and how often. */
    let pending: { webhook: Request; times: number }[] = [];
    while (events < 500) {
      // Events of earlier rounds: the answers to what they ask come after this round's changes.
      const gate = Promise.withResolvers<void>();
      underWay = () => gate.promise;
      const [early, rest] = [draw.shuffled(pending).slice(0, 10), new Set(pending)];
      for (const one of early) if (--one.times === 0) rest.delete(one);
      pending = [...rest];
      const deliveries = early.map(({ webhook }) => deliver(webhook));
      await turns(8);

      underWay = () => turns(3);
      const now: Request[] = [];
      for (const account of draw.shuffled(accounts).slice(draw.upTo(2))) {
        const fresh = await happen(stripe, account, draw);
        if (draw.upTo(1) === 0) fresh.push(...(await happen(stripe, account, draw)));
        events += fresh.length;
        for (const [i, webhook] of fresh.entries()) {
          // Of each account one event is delivered in its round: from then on its state must be the newest.
          const atOnce = i === 0 ? 1 : draw.upTo(1);
          const times = 1 + draw.upTo(2);
          if (atOnce === 1) now.push(webhook);
          if (times > atOnce) pending.push({ webhook, times: times - atOnce });
        }
      }
      deliveries.push(...draw.shuffled(now).map((webhook) => deliver(webhook)));
      await turns(8);
      gate.resolve();
      for (const { status } of await Promise.all(deliveries)) expect(status).toBe(200);
      for (const { client, status, invoice } of accounts.filter((account) => account.status !== "none")) {
        const row = await billingRow(client);
        expect(row).toMatchObject({ subscription_status: status, latest_invoice_status: invoice });
      }
    }
    const left = pending.flatMap(({ webhook, times }) => Array.from({ length: times }, () => webhook));
    await Promise.all(draw.shuffled(left).map((webhook) => deliver(webhook)));
    for (const { client, status } of accounts) {
      expect(await billingRow(client)).toMatchObject({ subscription_status: status });
    }
    expect(await notedEvents()).toBe(events);
  }, 120_000);
});
