import { beforeEach, describe, expect, it, vi } from "vitest";
import { Billing } from "../../../src/billing/store/billing.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { createSession, deliver, FakeStripe, sendWithoutBilling } from "../../support/worker/fakes/stripe.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const MOST = 5;
const MINUTE = 60_000;
const HOUR = 3_600_000;

let stripe: FakeStripe;
let client: Client;
beforeEach(async () => {
  stripe = new FakeStripe();
  client = await newClient("trial");
  overrideSettings({ MAX_BILLING_SESSIONS_PER_HOUR: MOST });
  // Moves to the start of an hour.
  later(HOUR - (Date.now() % HOUR));
});

const rows = (): Promise<number | null> =>
  home.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first<number>("n");

describe("billing pages of an account", () => {
  it("are limited per hour, checkouts and portals together; one more calls Stripe for nothing", async () => {
    const lines = logged();
    for (let i = 0; i < MOST; i += 1)
      expect((await createSession(client, i % 2 === 0 ? "checkout" : "portal")).status).toBe(201);
    const calls = stripe.calls.length;
    for (const kind of ["checkout", "portal"] as const) {
      const refused = await createSession(client, kind);
      expectError(refused, 429, "rate_limited");
      expect(refused.body.message).toContain(`opened ${MOST} billing pages within the last hour`);
      expect(refused.headers.get("retry-after")).toBe(String(refused.body.retryAfterSeconds));
      expect(refused.body.retryAfterSeconds).toBeLessThanOrEqual(3_600);
    }
    expect(stripe.calls).toHaveLength(calls);
    expect(await rows()).toBe(MOST);
    expect(lines().filter(({ event }) => event === "rate_exceeded")).toMatchObject([
      { account: client.accountId, of: "billing_sessions", times: 1 },
    ]);
    expect((await createSession(await newClient("trial"), "portal")).status).toBe(201);
    later(HOUR);
    expect((await createSession(client, "checkout")).status).toBe(201);
  });

  it("count even if the payment provider refuses or fails, which costs calls too", async () => {
    await stripe.subscribe(client);
    for (let i = 1; i < MOST; i += 1)
      expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    const calls = stripe.calls.length;
    expectError(await createSession(client, "checkout"), 429, "rate_limited");
    expect(stripe.calls).toHaveLength(calls);
  });

  it("do not count again when a request is repeated", async () => {
    for (let i = 0; i < 3 * MOST; i += 1)
      expect((await createSession(client, "portal", "one key")).status).toBe(201);
    expect((await createSession(client, "portal")).status).toBe(201);
  });

  it("hold for concurrent requests, too", async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * MOST }, () => createSession(client, "portal")),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * MOST);
  });
});

/** Returns a webhook of this many bytes, and whether the Worker has read any of them. */
function unreadEvent(
  headers: Record<string, string>,
  bytes: number,
): { event: Request; isRead: () => boolean } {
  let read = false;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    read = true;
    controller.enqueue(new Uint8Array(bytes));
    controller.close();
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  return {
    event: new Request("https://api.test/webhooks/stripe", { method: "POST", headers, body }),
    isRead: () => read,
  };
}

describe("a webhook", () => {
  const hmac = "0".repeat(64);
  const seconds = () => Math.floor(Date.now() / 1_000);

  it.each([
    ["without a signature", () => ({})],
    ["with a malformed signature", () => ({ "stripe-signature": `t=${seconds()},v1=00` })],
    ["signed too long ago", () => ({ "stripe-signature": `t=${seconds() - 310},v1=${hmac}` })],
    ["signed in the future", () => ({ "stripe-signature": `t=${seconds() + 310},v1=${hmac}` })],
  ])("%s is refused before its body is read", async (_, headers) => {
    const { event, isRead } = unreadEvent(headers(), 900_000);
    expectError(await deliver(event), 400, "invalid_signature");
    expect(isRead()).toBe(false);
  });

  it("is read if its header looks valid, and then refused for its body", async () => {
    const { event, isRead } = unreadEvent({ "stripe-signature": `t=${seconds()},v1=${hmac}` }, 100);
    expectError(await deliver(event), 400, "invalid_signature");
    expect(isRead()).toBe(true);
  });

  it("is not read without billing", async () => {
    const { event, isRead } = unreadEvent({ "stripe-signature": `t=${seconds()},v1=${hmac}` }, 100);
    expectError(await sendWithoutBilling(event), 404, "not_found");
    expect(isRead()).toBe(false);
  });

  it("is logged once a minute if forged, with the number of times", async () => {
    const lines = logged();
    const forge = () => deliver(unreadEvent({}, 1).event);
    later(MINUTE);
    for (let i = 0; i < 5; i += 1) await forge();
    later(MINUTE);
    await forge();
    const refused = lines().filter(({ event }) => event === "webhook_refused");
    expect(refused.map(({ times }) => times)).toEqual([expect.any(Number), 5]);
  });

  it("reads nothing and calls no service if forged; a replayed one reads one row per database", async () => {
    const { body } = await createSession(client, "checkout");
    await stripe.press(body.url);
    const [real] = stripe.webhooks;
    if (real === undefined) throw new Error("Stripe sent no webhook");
    await stripe.deliverAll();
    const calls = stripe.calls.length;
    const read = vi.spyOn(Billing.prototype, "readForEvent");
    const wrote = vi.spyOn(Billing.prototype, "write");

    for (const signature of ["", "t=1,v1=00", `${real.headers.get("stripe-signature")}0`]) {
      const headers = { "stripe-signature": signature };
      const forged = new Request(real.url, { method: "POST", headers, body: await real.clone().text() });
      expectError(await deliver(forged), 400, "invalid_signature");
    }
    expect(read).not.toHaveBeenCalled();

    for (let i = 0; i < 3; i += 1) expect((await deliver(real)).status).toBe(200);
    expect(read.mock.calls.length).toBeLessThanOrEqual(3 * home.platform.databases.length);
    expect(wrote).not.toHaveBeenCalled();
    expect(stripe.calls).toHaveLength(calls);
  });
});
