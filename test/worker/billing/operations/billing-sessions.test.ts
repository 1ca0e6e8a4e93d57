import { describe, expect, it, vi } from "vitest";
import { OPERATIONS, type OperationId } from "../../../../src/operations.ts";
import { OF_BILLING } from "../../../support/operation-tables.ts";
import { type Answer, type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { billingRow, FakeStripe, sendWithoutBilling } from "../../../support/worker/fakes/stripe.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

/** Requests the page that an operation opens. */
const open = (operation: OperationId, client: Client, key: string): Promise<Answer> =>
  client.send("POST", OPERATIONS[operation].path, undefined, { "idempotency-key": key });

const keys = (): Promise<number | null> =>
  home.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first<number>("n");

describe.each(OF_BILLING)("%s 400", (operation) => {
  it("refuses an Idempotency-Key that is missing, empty or longer than 128 characters [4.10-1 4.10-5 8-7]", async () => {
    const client = await newClient();
    expectError(await client.send("POST", OPERATIONS[operation].path), 400, "invalid_idempotency_key");
    for (const key of ["", "k".repeat(129)]) {
      expectError(await open(operation, client, key), 400, "invalid_idempotency_key");
    }
  });
});

describe.each(OF_BILLING)("%s 502", (operation) => {
  it("leaves nothing behind when the payment provider is down, and the same key works later", async () => {
    const stripe = new FakeStripe();
    const client = await newClient("trial");
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    stripe.intercept = async () => {
      throw new TypeError("Network connection lost.");
    };
    expectError(await open(operation, client, "key"), 502, "payment_provider_failed");
    expect(await billingRow(client)).toBeNull();
    expect(await keys()).toBe(0);
    const lines = logged.mock.calls.flat().join("\n");
    expect(lines).toContain("Network connection lost.");
    expect(lines).not.toContain("sk_test");

    stripe.intercept = (_request, pass) => pass();
    expect((await open(operation, client, "key")).status).toBe(201);
  });

  it.each([
    ["an error of its own", () => Response.json({ error: { type: "api_error" } }, { status: 500 })],
    ["what is not JSON", () => new Response("<html>")],
    ["a refusal of our key", () => Response.json({ error: { message: "sk_test?" } }, { status: 401 })],
  ])("is the answer when the payment provider answers with %s", async (_, answer) => {
    const stripe = new FakeStripe();
    const client = await newClient("trial");
    stripe.intercept = (request, pass) =>
      request.url.endsWith("/sessions") ? Promise.resolve(answer()) : pass();
    const failed = await open(operation, client, "key");
    expectError(failed, 502, "payment_provider_failed");
    expect(JSON.stringify(failed.body)).not.toContain("sk_test");
    expect(await keys()).toBe(0);
    stripe.intercept = (_request, pass) => pass();
    expect((await open(operation, client, "key")).status).toBe(201);
    expect(stripe.fake.state.customers).toHaveLength(1);
  });
});

describe.each(OF_BILLING)("%s 503", (operation) => {
  it("says that the operator of this service has no billing", async () => {
    const { key } = await newClient();
    const request = new Request(`https://api.test${OPERATIONS[operation].path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "idempotency-key": "key" },
    });
    expectError(await sendWithoutBilling(request), 503, "billing_not_configured");
  });
});
