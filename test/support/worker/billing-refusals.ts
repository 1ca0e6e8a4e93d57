import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { newClient } from "./api.ts";
import { billingRow, createSession, PlayedStripe, sendWithoutBilling } from "./stripe.ts";
import { expectError } from "./wire.ts";

/** The operations that open a page of the payment provider, by the end of their paths. */
const KIND_OF = { createCheckout: "checkout", createBillingPortal: "portal" } as const;
type Operation = keyof typeof KIND_OF;

const keys = (): Promise<number | null> =>
  env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first<number>("n");

/** The 400 of a billing session. */
export function describeMissingKey(operation: Operation): void {
  const kind = KIND_OF[operation];
  describe(`${operation} 400`, () => {
    it("refuses an Idempotency-Key that is missing, empty or longer than 128 characters", async () => {
      const client = await newClient();
      expectError(await client.send("POST", `/v1/billing/${kind}`), 400, "invalid_idempotency_key");
      for (const key of ["", "k".repeat(129)]) {
        expectError(await createSession(client, kind, key), 400, "invalid_idempotency_key");
      }
    });
  });
}

/** The 502 of a billing session. */
export function describeProviderFailure(operation: Operation): void {
  const kind = KIND_OF[operation];
  describe(`${operation} 502`, () => {
    it("leaves nothing behind when the payment provider is down, and the same key works later", async () => {
      const stripe = new PlayedStripe();
      const client = await newClient("trial");
      const logged = vi.spyOn(console, "log").mockImplementation(() => {});
      stripe.intercept = async () => {
        throw new TypeError("Network connection lost.");
      };
      expectError(await createSession(client, kind, "key"), 502, "payment_provider_failed");
      expect([await billingRow(client), await keys()]).toEqual([null, 0]);
      const lines = logged.mock.calls.flat().join("\n");
      expect(lines).toContain("Network connection lost.");
      expect(lines).not.toContain("sk_test");

      stripe.intercept = (_request, pass) => pass();
      expect((await createSession(client, kind, "key")).status).toBe(201);
    });

    it.each([
      ["an error of its own", () => Response.json({ error: { type: "api_error" } }, { status: 500 })],
      ["what is not JSON", () => new Response("<html>")],
      ["a refusal of our key", () => Response.json({ error: { message: "sk_test?" } }, { status: 401 })],
    ])("is the answer when the payment provider answers with %s", async (_, answer) => {
      const stripe = new PlayedStripe();
      const client = await newClient("trial");
      stripe.intercept = (request, pass) =>
        request.url.endsWith("/sessions") ? Promise.resolve(answer()) : pass();
      const failed = await createSession(client, kind, "key");
      expectError(failed, 502, "payment_provider_failed");
      expect(JSON.stringify(failed.body)).not.toContain("sk_test");
      expect(await keys()).toBe(0);
      stripe.intercept = (_request, pass) => pass();
      expect((await createSession(client, kind, "key")).status).toBe(201);
      expect(stripe.standIn.state.customers).toHaveLength(1);
    });
  });
}

/** The 503 of a billing session. */
export function describeNoBilling(operation: Operation): void {
  const kind = KIND_OF[operation];
  describe(`${operation} 503`, () => {
    it("says that the operator of this service has no billing", async () => {
      const { key } = await newClient();
      const request = new Request(`https://api.test/v1/billing/${kind}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "idempotency-key": "key" },
      });
      expectError(await sendWithoutBilling(request), 503, "billing_not_configured");
    });
  });
}
