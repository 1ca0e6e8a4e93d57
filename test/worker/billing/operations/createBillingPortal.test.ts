import { describe, expect, it } from "vitest";
import { BillingUrl } from "../../../../src/billing/contract/billing.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { billingRow, createSession, FakeStripe } from "../../../support/worker/fakes/stripe.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("createBillingPortal 201", () => {
  it("answers with the URL of a page if the account manages its subscription [2.10-1 4.10-6]", async () => {
    const stripe = new FakeStripe();
    const client = await newClient("trial");
    await stripe.subscribe(client);
    const { status, body } = await createSession(client, "portal");
    expect(status).toBe(201);
    BillingUrl.parse(body);
    const text = await (await stripe.fake.app.request(body.url)).text();
    expect(text).toContain("active");
    expect(text).toContain("https://api.test");
  });

  it("has a page for an account that has never subscribed", async () => {
    const stripe = new FakeStripe();
    const { status, body } = await createSession(await newClient("trial"), "portal");
    expect(status).toBe(201);
    expect(await (await stripe.fake.app.request(body.url)).text()).toContain("There is no subscription.");
  });

  it("makes a new customer when Stripe does not know the old one any more, but not for a key of the other mode", async () => {
    const stripe = new FakeStripe();
    const client = await newClient("trial");
    await createSession(client, "portal");
    const before = stripe.customerOf(client);
    stripe.intercept = async () =>
      Response.json(
        {
          error: {
            type: "invalid_request_error",
            code: "resource_missing",
            param: "customer",
            message: `No such customer: '${before}'; a similar object exists in live mode, but a test mode key was used to make this request.`,
          },
        },
        { status: 400 },
      );
    expectError(await createSession(client, "portal"), 502, "payment_provider_failed");
    stripe.intercept = (_request, pass) => pass();
    expect(await billingRow(client)).toMatchObject({ customer_id: before });

    await stripe.deleteCustomer(client);
    expect((await createSession(client, "portal", "key")).status).toBe(201);
    const now = stripe.customerOf(client);
    expect(now).not.toBe(before);
    expect(await billingRow(client)).toMatchObject({ customer_id: now });
  });

  it("answers a repeated Idempotency-Key with the same URL; another operation may use the same key [4.10-15]", async () => {
    const stripe = new FakeStripe();
    const client = await newClient("trial");
    const first = await createSession(client, "portal", "once");
    const second = await createSession(client, "portal", "once");
    expect(second).toMatchObject({ status: 201, body: first.body, replayed: "true" });
    expect(stripe.keysOf("POST /v1/billing_portal/sessions")).toHaveLength(1);
    expect((await createSession(client, "checkout", "once")).body.url).not.toBe(first.body.url);
  });
});
