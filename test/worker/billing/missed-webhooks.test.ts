import { beforeEach, describe, expect, it, vi } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import { only } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { billingRow, createSession, deliver, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

describe("a subscription whose webhook never came", () => {
  let stripe: FakeStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new FakeStripe();
    client = await newClient("trial");
    await stripe.subscribe(client);
  });

  const mode = async () => (await client.send("GET", "/v1/account/overview")).body.access.mode;
  const ofStripe = () => only(stripe.fake.subscriptions.of(stripe.customerOf(client)));
  const asked = () => stripe.keysOf("GET /v1/subscriptions").length;
  const periodEnds = () => later(ofStripe().periodEnd * 1_000 - Date.now() + 1_000);

  it("and was canceled loses paid access at the next daily check after its period's end", async () => {
    stripe.fake.subscriptions.cancel(ofStripe());
    const before = asked();
    await runCron(CRONS.nightly);
    expect({ mode: await mode(), asked: asked() - before }).toEqual({ mode: "paid", asked: 0 });
    periodEnds();
    await runCron(CRONS.nightly);
    expect(await mode()).toBe("trial");
    expect(await billingRow(client)).toMatchObject({ subscription_status: "canceled" });
    await runCron(CRONS.nightly);
    expect(asked() - before).toBe(1);
  });

  it("and has a deleted customer is forgotten", async () => {
    periodEnds();
    await stripe.deleteCustomer(client);
    await runCron(CRONS.nightly);
    expect({ mode: await mode(), row: await billingRow(client) }).toEqual({ mode: "trial", row: null });
  });

  it("keeps its access while Stripe is away, which is logged", async () => {
    stripe.fake.subscriptions.cancel(ofStripe());
    periodEnds();
    stripe.intercept = async () => new Response("down", { status: 503 });
    const lines = logged();
    await runCron(CRONS.nightly);
    expect(await mode()).toBe("paid");
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "error", event: "nightly_failed", part: "subscriptions" }),
    );
  });

  it("loses paid access although Stripe refuses another customer with an earlier end of period", async () => {
    const other = await newClient("trial");
    await stripe.subscribe(other);
    await home.DB.prepare("UPDATE billing SET current_period_end = 1 WHERE account_id = ?1")
      .bind(other.accountId)
      .run();
    stripe.fake.subscriptions.cancel(ofStripe());
    periodEnds();
    const refused = new URLSearchParams({ customer: stripe.customerOf(other) }).toString();
    stripe.intercept = async (request, pass) =>
      request.url.includes(refused)
        ? Response.json({ error: { type: "invalid_request_error", message: "No." } }, { status: 400 })
        : pass();
    const lines = logged();
    await runCron(CRONS.nightly);
    expect(await mode()).toBe("trial");
    expect(await billingRow(other)).toMatchObject({ subscription_status: "active" });
    expect(lines()).toContainEqual(
      expect.objectContaining({ event: "subscriptions_refreshed", refreshed: 1, refused: 1 }),
    );
  });

  it("loses paid access in a night that is cut off while it wakes jobs", async () => {
    stripe.fake.subscriptions.cancel(ofStripe());
    periodEnds();
    vi.spyOn(home.platform.oldJobs, "underWaySince").mockReturnValue(new Promise(() => undefined));
    void runCron(CRONS.nightly);
    await vi.waitFor(async () => expect(await mode()).toBe("trial"), PATIENT);
  });

  it("does not overwrite a concurrent webhook's change", async () => {
    periodEnds();
    stripe.intercept = async (_request, pass) => {
      const answer = await pass();
      await home.DB.exec("UPDATE billing SET subscription_status = 'unpaid', version = version + 1");
      return answer;
    };
    await runCron(CRONS.nightly);
    expect(await mode()).toBe("blocked");
  });

  it("and was paid again is accepted at the next daily check", async () => {
    const { subscriptions, webhooks } = stripe.fake;
    for (const fails of ["failPayment", "giveUp"] as const) {
      await webhooks.deliver(subscriptions[fails](ofStripe()));
      await stripe.deliverAll();
      subscriptions.payInvoice(ofStripe());
      expect(await mode()).toBe("blocked");
      await runCron(CRONS.nightly);
      expect(await mode()).toBe("paid");
      if (fails === "failPayment") await webhooks.deliver(subscriptions.failPayment(ofStripe()));
    }
  });

  it("is reported in a night with a change, and not in a night without", async () => {
    const { subscriptions, webhooks } = stripe.fake;
    await webhooks.deliver(subscriptions.failPayment(ofStripe()));
    await stripe.deliverAll();
    const lines = logged();
    const refreshes = () => lines().filter(({ event }) => event === "subscriptions_refreshed");
    await runCron(CRONS.nightly);
    expect(refreshes()).toEqual([]);
    subscriptions.payInvoice(ofStripe());
    await runCron(CRONS.nightly);
    expect(refreshes()).toMatchObject([{ level: "warn", known: 0, refreshed: 1, refused: 0, unknown: 0 }]);
  });

  /** Customers of `status` whose period ended in the order of their numbers; Stripe's fake does not know them. */
  async function manyCustomers(count: number, status: string): Promise<void> {
    await home.DB.batch(
      Array.from({ length: count }, (_, i) =>
        home.DB.prepare(
          "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, '', 'trial', 0, 0)",
        ).bind(`acct_${i}`),
      ),
    );
    await home.DB.prepare(
      `INSERT INTO billing (account_id, customer_id, subscription_status, current_period_end, updated_at)
       SELECT id, 'cus_' || id, ?1, 1 + substr(id, 6), 0 FROM accounts WHERE created_at = 0`,
    )
      .bind(status)
      .run();
  }
  const customers = () => home.DB.prepare("SELECT count(*) AS n FROM billing").first("n");

  it.runIf(isLong)("is one of at most 300 per night, the earliest end of period first", async () => {
    await manyCustomers(301, "active");
    stripe.intercept = async () => Response.json({ object: "list", data: [], has_more: false });
    await runCron(CRONS.nightly);
    const { results } = await home.DB.prepare(
      "SELECT account_id FROM billing WHERE subscription_status = 'active' AND current_period_end < 1000",
    ).all();
    expect(results).toEqual([{ account_id: "acct_300" }]);
  });

  it.runIf(isLong)(
    "is checked although Stripe refuses 300 others: the longest waiting come first each night",
    async () => {
      await manyCustomers(300, "past_due");
      const { subscriptions, webhooks } = stripe.fake;
      await webhooks.deliver(subscriptions.failPayment(ofStripe()));
      await stripe.deliverAll();
      subscriptions.payInvoice(ofStripe());
      stripe.intercept = async (request, pass) =>
        request.url.includes("cus_acct_")
          ? Response.json({ error: { type: "invalid_request_error", message: "No." } }, { status: 400 })
          : pass();
      vi.spyOn(console, "log").mockImplementation(() => {});
      await home.DB.exec("UPDATE billing SET checked_at = 1 WHERE customer_id NOT LIKE 'cus_acct_%'");
      await runCron(CRONS.nightly);
      expect(await mode()).toBe("blocked");
      await runCron(CRONS.nightly);
      expect(await mode()).toBe("paid");
    },
  );

  describe("while the secret key is another Stripe account's", () => {
    it.each(["active", "past_due"])(
      "is no reason to forget a customer with any number %s and unknown: the run ends with an alarm",
      async (status) => {
        await manyCustomers(50, status);
        periodEnds();
        const lines = logged();
        const other = stripe.answerAsAnotherAccount();
        const before = stripe.calls.length;
        await runCron(CRONS.nightly);
        expect(await customers()).toBe(51);
        expect(stripe.calls.length - before).toBe(2 * 20);
        expect(other.state.customers).toEqual([]);
        expect(lines()).toContainEqual(
          expect.objectContaining({
            level: "error",
            event: "customer_unknown",
            operation: "subscriptionOf",
            reason: expect.stringContaining("STRIPE_SECRET_KEY"),
          }),
        );
        expect(lines()).toContainEqual(
          expect.objectContaining({ event: "subscriptions_refreshed", refreshed: 0, unknown: 20 }),
        );
      },
    );

    it("keeps its customer when the account asks for a page, which gets 502 and makes no customer there", async () => {
      const before = await billingRow(client);
      const other = stripe.answerAsAnotherAccount();
      for (const kind of ["portal", "checkout"] as const)
        expectError(await createSession(client, kind), 502, "payment_provider_failed");
      expect(await billingRow(client)).toEqual(before);
      expect(other.state.customers).toEqual([]);
    });

    it("keeps its customer when a webhook comes, which has its effect once the key is right again", async () => {
      const { subscriptions, webhooks } = stripe.fake;
      await webhooks.deliver(subscriptions.failPayment(ofStripe()));
      const pass = stripe.intercept;
      stripe.answerAsAnotherAccount();
      const [first] = stripe.webhooks;
      if (first === undefined) throw new Error("Stripe sent no webhook");
      expectError(await deliver(first), 502, "payment_provider_failed");
      expect(await mode()).toBe("paid");
      stripe.intercept = pass;
      await stripe.deliverAll();
      expect(await mode()).toBe("blocked");
    });
  });
});
