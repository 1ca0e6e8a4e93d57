import { describe, expect, it } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { amount, Draw } from "../../support/worker/client/random.ts";
import {
  billingRow,
  createSession,
  deliver,
  notedEvents,
  FakeStripe,
} from "../../support/worker/fakes/stripe.ts";

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

  /** An account with the result of its history, in order. */
  interface BilledAccount {
    readonly client: Client;
    status: keyof typeof STEPS;
    invoice: string | null;
  }

  /** Changes an account's subscription. Returns the webhooks that report it. */
  async function happen(stripe: FakeStripe, account: BilledAccount, draw: Draw): Promise<Request[]> {
    const { subscriptions, webhooks } = stripe.fake;
    const customer = stripe.customerOf(account.client);
    const step = draw.oneOf<Step>(STEPS[account.status]);
    const [newest] = subscriptions.of(customer);
    await webhooks.deliver(
      step === "begin" || newest === undefined ? subscriptions.begin(customer) : subscriptions[step](newest),
    );
    account.status = AFTER[step].status;
    account.invoice = AFTER[step].invoice ?? account.invoice;
    return stripe.webhooks.splice(0);
  }

  it("of many events, in any order, each one to three times and many at once, ends as the ordered one does [4.10-12]", async () => {
    const draw = new Draw();
    const stripe = new FakeStripe();
    const accounts: BilledAccount[] = [];
    for (let i = 0; i < 3; i += 1) {
      const client = await newClient("trial");
      await createSession(client, "checkout");
      accounts.push({ client, status: "none", invoice: null });
    }
    const turns = async (most: number): Promise<void> => {
      for (let left = draw.upTo(most); left > 0; left -= 1) await new Promise((next) => setTimeout(next, 0));
    };
    // Stripe answers at once, and the answer takes a while to arrive.
    let underWay: () => Promise<void> = () => turns(3);
    stripe.intercept = async (_request, pass) => {
      const arrival = underWay;
      const answer = await pass();
      await arrival();
      return answer;
    };

    let events = 0;
    /** The undelivered webhooks, with the number of their deliveries. */
    let pending: { webhook: Request; times: number }[] = [];
    while (events < amount({ short: 30, long: 500 })) {
      // Events of earlier rounds: the answers to their requests come after this round's changes.
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
          // Delivers one event of each account in its round: from then on its state must be the newest.
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
  });
});
