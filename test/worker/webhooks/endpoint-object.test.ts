import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WebhookObject } from "../../../src/index.ts";
import { WebhookEndpoints } from "../../../src/webhooks/store/endpoints.ts";
import { WebhookStorage } from "../../../src/webhooks/store/storage.ts";
import { only } from "../../support/at.ts";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import {
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  ringEndpointWith,
  sendTest,
  type TestEndpoint,
  verified,
} from "../../support/worker/fakes/webhooks.ts";
import {
  alarmOf,
  delivery,
  due,
  objectOf,
  shownEndpoint,
} from "../../support/worker/fixtures/webhook-endpoint.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

let client: Client;
let endpoint: TestEndpoint;
let endpoints: FakeEndpoints;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
  endpoints = new FakeEndpoints(endpoint);
});

const answers = (status: number) => endpoints.answer(endpoint, () => new Response(null, { status }));

describe("an endpoint's object", () => {
  it("continues at the same place after an eviction", async () => {
    await sendTest(client, endpoint);
    answers(503);
    await ringEndpoint(endpoint);
    await evictDurableObject(objectOf(endpoint));
    answers(200);
    await due(client, endpoint);
    await ringEndpoint(endpoint);
    expect(await delivery(client, endpoint)).toMatchObject({ status: "succeeded", attempts: { length: 2 } });
  });

  it("loses nothing while the database or a setting is away: its alarm comes again", async () => {
    await sendTest(client, endpoint);
    vi.spyOn(WebhookEndpoints.prototype, "target").mockRejectedValueOnce(new Error("the database is away"));
    await ringEndpoint(endpoint);
    expect(await alarmOf(endpoint)).toBe(Date.now() + 60 * SECOND);
    await runInDurableObject(objectOf(endpoint), (_, state) =>
      new WebhookObject(state, Object.assign({}, env, { MASTER_SECRET: "" })).alarm(),
    );
    expect(await alarmOf(endpoint)).toBe(Date.now() + 60 * SECOND);
    await ringEndpoint(endpoint);
    expect((await delivery(client, endpoint)).status).toBe("succeeded");
  });

  it("stays erased if it is erased while the endpoint is being disabled", async () => {
    await sendTest(client, endpoint);
    answers(410);
    vi.spyOn(WebhookEndpoints.prototype, "disable").mockImplementationOnce(async () => {
      await objectOf(endpoint).erase();
      return true;
    });
    await ringEndpoint(endpoint);
    const left = await runInDurableObject(
      objectOf(endpoint),
      async (_, { storage }) => (await storage.list()).size,
    );
    expect({ left, alarm: await alarmOf(endpoint) }).toEqual({ left: 0, alarm: null });
  });

  it("stays erased if it is erased while the database fails", async () => {
    await sendTest(client, endpoint);
    vi.spyOn(WebhookEndpoints.prototype, "target").mockImplementationOnce(async () => {
      await objectOf(endpoint).erase();
      throw new Error("D1_ERROR: Network connection lost.");
    });
    await ringEndpoint(endpoint);
    expect(await alarmOf(endpoint)).toBeNull();
  });

  it("keeps what waits if the database has lost the endpoint, and forgets it after a month", async () => {
    await sendTest(client, endpoint);
    await home.DB.exec("DELETE FROM webhook_endpoints");
    await ringEndpoint(endpoint);
    expect(endpoints.received).toEqual([]);
    const kept = () =>
      runInDurableObject(objectOf(endpoint), async (_, { storage }) => (await storage.list()).size);
    expect(await kept()).toBeGreaterThan(0);
    later(30 * DAY + 1);
    await ringEndpoint(endpoint);
    expect(await kept()).toBe(0);
    expect(await alarmOf(endpoint)).toBeNull();
  });

  /** Deliveries that arrived now, with these outcomes, a million milliseconds before the next attempt of the pending ones. */
  const seed = (count: number, outcome: string | null, body = "{}") =>
    runInDurableObject(objectOf(endpoint), (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
         INSERT INTO deliveries (id, type, at, body, received_at, attempts, due_at, outcome)
         SELECT 'evt_' || ?5 || i, 'test', ?1, ?3, ?1, '[]', iif(?2 IS NULL, ?1 + 1000000, NULL), ?2 FROM n`,
        Date.now(),
        outcome,
        body,
        count,
        crypto.randomUUID(),
      );
    });
  /** Returns the number of kept deliveries, by their outcome. */
  const kept = (): Promise<unknown> =>
    runInDurableObject(objectOf(endpoint), (_, { storage }) =>
      Object.fromEntries(
        storage.sql
          .exec<{ outcome: string | null; n: number }>(
            "SELECT outcome, count(*) AS n FROM deliveries GROUP BY outcome",
          )
          .toArray()
          .map(({ outcome, n }) => [outcome ?? "pending", n]),
      ),
    );
  const dropped = (lines: readonly Record<string, unknown>[]) =>
    lines.filter(({ event }) => event === "webhook_deliveries_dropped");

  it("keeps all undelivered events, and the successful ones of the newest 10,000 [A3-22]", async () => {
    const lines = logged();
    await sendTest(client, endpoint);
    await seed(3, "succeeded");
    await seed(10_005, null);
    await seed(2, "failed");
    await seed(4, "succeeded");
    answers(503);
    await ringEndpoint(endpoint);
    expect(await kept()).toEqual({ pending: 10_006, failed: 2, succeeded: 4 });
    expect(dropped(lines())).toEqual([]);
  });

  it("drops the oldest undelivered deliveries above the limit of bytes, and logs an error [A3-22]", async () => {
    const lines = logged();
    const ring = () => ringEndpointWith(endpoint, { MAX_WEBHOOK_BACKLOG_BYTES: "10000" });
    await sendTest(client, endpoint);
    await seed(2, "failed", "€".repeat(100));
    await seed(30, null, "€".repeat(300));
    await ring();
    // The test event, the failed ones and 19 of 30, each of 900 bytes: eleven of them are at most 10,000.
    expect(await kept()).toEqual({ pending: 11 });
    expect(dropped(lines())).toMatchObject([
      { level: "error", endpointId: endpoint.endpointId, because: "bytes", deliveries: 22 },
    ]);
    await ring();
    expect(dropped(lines())).toHaveLength(1);
  });

  it("counts undelivered events as deliveries end and are requested again", async () => {
    const undelivered = () =>
      runInDurableObject(objectOf(endpoint), (_, { storage }) => new WebhookStorage(storage).undelivered);
    const { event, deliveryId } = await sendTest(client, endpoint);
    const bytes = JSON.stringify(event).length;
    expect(await undelivered()).toEqual({ deliveries: 1, bytes });
    await ringEndpoint(endpoint);
    expect(await undelivered()).toEqual({ deliveries: 0, bytes: 0 });
    await client.send("POST", `/v1/webhook-endpoints/${endpoint.endpointId}/deliveries/${deliveryId}/retry`);
    expect(await undelivered()).toEqual({ deliveries: 1, bytes });
    later(31 * DAY);
    await ringEndpoint(endpoint);
    expect(await runInDurableObject(objectOf(endpoint), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it("disables the endpoint if the operator has changed the secret that seals; a rotation mends it", async () => {
    const path = `/v1/webhook-endpoints/${endpoint.endpointId}`;
    await sendTest(client, endpoint);
    const MASTER_SECRET = "another-secret-of-the-operator-of-43-characters";
    overrideSettings({ MASTER_SECRET });
    const ring = () => ringEndpointWith(endpoint, { MASTER_SECRET });
    await ring();
    expect(endpoints.received).toEqual([]);
    expect(await shownEndpoint(client, endpoint)).toMatchObject({
      disabled: true,
      disabledReason: "secret_unreadable",
    });

    const { body } = await client.send("POST", `${path}/rotate-secret`);
    await client.send("PATCH", path, { disabled: false });
    await ring();
    expect(verified(body.secret, only(endpoints.received))).toMatchObject({ type: "test" });
  });
});
