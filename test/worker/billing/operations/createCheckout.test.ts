import { beforeEach, describe, expect, it } from "vitest";
import { BillingUrl } from "../../../../src/billing/contract/billing.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { billingRow, createSession, FakeStripe } from "../../../support/worker/fakes/stripe.ts";
import { settledJob } from "../../../support/worker/fixtures/ledger.ts";
import { CRONS, runCron } from "../../../support/worker/runtime/crons.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let stripe: FakeStripe;
let client: Client;
beforeEach(async () => {
  stripe = new FakeStripe();
  client = await newClient("trial");
});

describe("createCheckout 201", () => {
  it("answers with the URL of a page if the account subscribes to the metered price [2.10-1 4.10-3 4.10-8]", async () => {
    const { status, body } = await createSession(client, "checkout");
    expect(status).toBe(201);
    BillingUrl.parse(body);
    expect(await (await stripe.fake.app.request(body.url)).text()).toContain(
      `${client.accountId}@example.com`,
    );
    const [session] = stripe.fake.state.sessions;
    expect(session).toMatchObject({
      reference: client.accountId,
      successUrl: "https://api.test/studio/usage?checkout=success",
      cancelUrl: "https://api.test/studio/usage?checkout=canceled",
    });
  });

  it("makes one customer for an account, also for two requests at once [4.10-9]", async () => {
    await Promise.all([
      createSession(client, "checkout"),
      createSession(client, "checkout"),
      createSession(client, "portal"),
    ]);
    await createSession(client, "checkout");
    expect(stripe.fake.state.customers).toHaveLength(1);
    expect(await billingRow(client)).toMatchObject({ customer_id: stripe.customerOf(client), version: 0 });
  });

  it("makes one customer although the first answer is lost, and the account's address has changed since", async () => {
    stripe.intercept = async (request, pass) => {
      const answer = await pass();
      return request.url.endsWith("/v1/customers") ? new Response("lost", { status: 503 }) : answer;
    };
    expectError(await createSession(client, "checkout"), 502, "payment_provider_failed");
    stripe.intercept = (_request, pass) => pass();
    await home.DB.prepare("UPDATE accounts SET email = 'new@example.com' WHERE id = ?1")
      .bind(client.accountId)
      .run();
    expect((await createSession(client, "checkout")).status).toBe(201);
    expect(stripe.fake.state.customers).toMatchObject([{ email: "new@example.com" }]);
  });

  it("leaves one page open of two that are opened at once, and answers both requests with it: one can be paid", async () => {
    await createSession(client, "portal");
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    stripe.intercept = async (request, pass) => {
      const answer = await pass();
      if (request.method === "POST" && request.url.endsWith("/checkout/sessions")) {
        arrived += 1;
        if (arrived === 2) both.resolve();
        await both.promise;
      }
      return answer;
    };
    const answers = await Promise.all([createSession(client, "checkout"), createSession(client, "checkout")]);
    const [url, other] = answers.map(({ body }) => body.url);
    expect(other).toBe(url);
    const open = stripe.fake.state.sessions.filter(
      ({ kind, status }) => kind === "checkout" && status === "open",
    );
    expect(open.map(({ id }) => url.endsWith(id))).toEqual([true]);
    expect((await stripe.press(url)).status).toBe(303);
  });

  it("answers a repeated Idempotency-Key with the same URL, and sends Stripe a different key [4.10-15]", async () => {
    const first = await createSession(client, "checkout", "once");
    const second = await createSession(client, "checkout", "once");
    expect(second).toMatchObject({ status: 201, body: first.body, replayed: "true" });
    await createSession(client, "checkout", "another");
    const keys = stripe.keysOf("POST /v1/checkout/sessions");
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it("ignores any body [4.10-2]", async () => {
    const answer = await client.send("POST", "/v1/billing/checkout", "x".repeat(2_000_000), {
      "idempotency-key": "with a body",
      "content-type": "text/plain",
    });
    expect(answer.status).toBe(201);
  });

  it("closes the pages of earlier checkouts that are not paid: one can be paid at a time", async () => {
    const first = await createSession(client, "checkout");
    const second = await createSession(client, "checkout");
    expect((await stripe.press(first.body.url)).status).toBe(410);
    expect((await stripe.press(second.body.url)).status).toBe(303);
    expect(stripe.fake.state.subscriptions).toHaveLength(1);
  });

  it("makes a page that is open even when an earlier try with the same key had made one", async () => {
    // The answer and the key's record of it are lost: the next run has the same effect id, once the lease is over.
    await home.DB.exec(
      "CREATE TRIGGER broken BEFORE UPDATE OF answer ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    const first = await createSession(client, "checkout", "key");
    expect(first.status).toBe(201);
    await home.DB.exec("DROP TRIGGER broken");
    later(3_600_000);
    const second = await createSession(client, "checkout", "key");
    expect((await stripe.press(first.body.url)).status).toBe(410);
    expect((await stripe.press(second.body.url)).status).toBe(303);
  });

  it.each(["", "ada", "ada@", "a b@example.com"])(
    "makes the customer without an address when the account's is %j, which Stripe would refuse",
    async (email) => {
      await home.DB.prepare("UPDATE accounts SET email = ?2 WHERE id = ?1")
        .bind(client.accountId, email)
        .run();
      expect((await createSession(client, "checkout")).status).toBe(201);
      expect(stripe.fake.state.customers).toMatchObject([{ email: null }]);
    },
  );

  it("makes the customer without its address when Stripe still refuses it", async () => {
    stripe.intercept = async (request, pass) =>
      new TextDecoder().decode(await request.clone().arrayBuffer()).includes("email=")
        ? Response.json(
            {
              error: { type: "invalid_request_error", code: "email_invalid", param: "email", message: "no" },
            },
            { status: 400 },
          )
        : pass();
    expect((await createSession(client, "checkout")).status).toBe(201);
    expect(stripe.fake.state.customers).toMatchObject([{ email: null, accountId: client.accountId }]);
  });

  it("makes a new customer when Stripe does not know the old one any more", async () => {
    await stripe.subscribe(client);
    const before = stripe.customerOf(client);
    await stripe.deleteCustomer(client);
    const { status, body } = await createSession(client, "checkout");
    expect(status).toBe(201);
    const now = stripe.customerOf(client);
    expect(now).not.toBe(before);
    expect(await billingRow(client)).toMatchObject({ customer_id: now, subscription_status: null });
    await stripe.press(body.url);
    expect(await stripe.deliverAll()).toEqual([200, 200, 200, 200, 200]);
    expect(await billingRow(client)).toMatchObject({ customer_id: now, subscription_status: "active" });
  });

  it("lets an account subscribe again that has canceled", async () => {
    await stripe.subscribe(client);
    const [subscription] = stripe.fake.state.subscriptions;
    if (subscription) stripe.fake.subscriptions.cancel(subscription);
    expect((await createSession(client, "checkout")).status).toBe(201);
  });
});

describe("createCheckout 402", () => {
  it("refuses an account with an unpaid invoice of a former subscription, until it is paid", async () => {
    await stripe.subscribe(client);
    const [subscription] = stripe.fake.state.subscriptions;
    if (subscription === undefined) throw new Error("there is no subscription");
    await settledJob(client.accountId, { units: 3, fund: "paid", endedAt: Date.now() });
    later(3_600_001);
    await runCron(CRONS.report);
    const { subscriptions } = stripe.fake;
    subscriptions.failPayment(subscription);
    subscriptions.cancel(subscription);
    expectError(await createSession(client, "checkout"), 402, "payment_required");
    subscriptions.payInvoice(subscription);
    expect((await createSession(client, "checkout")).status).toBe(201);
  });
});

describe("createCheckout 409", () => {
  it("refuses a second subscription, even before the first one's webhook has come [4.10-10]", async () => {
    const { body } = await createSession(client, "checkout");
    await stripe.press(body.url);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    await stripe.deliverAll();
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    expect(stripe.fake.state.sessions).toHaveLength(1);
  });

  it("lets in an account that has subscribed, although its webhooks were all lost", async () => {
    const { body } = await createSession(client, "checkout");
    await stripe.press(body.url);
    stripe.webhooks.length = 0;
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    expect((await client.send("GET", "/v1/account/overview")).body.access).toMatchObject({ mode: "paid" });
  });

  it("refuses it even when the first one is paid at the moment in which its page is to be closed", async () => {
    const { body } = await createSession(client, "checkout");
    stripe.intercept = async (request, pass) => {
      if (request.url.endsWith("/expire")) await stripe.press(body.url);
      return pass();
    };
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    expect(stripe.fake.state.subscriptions).toHaveLength(1);
  });

  it("sends an account in arrears to the portal: past due or unpaid is still a subscription [4.10-10]", async () => {
    await stripe.subscribe(client);
    const [subscription] = stripe.fake.state.subscriptions;
    if (subscription === undefined) throw new Error("there is no subscription");
    stripe.fake.subscriptions.failPayment(subscription);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    stripe.fake.subscriptions.giveUp(subscription);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
  });
});
