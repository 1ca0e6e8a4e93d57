import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WebhookObject } from "../../../../src/index.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import {
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
  type TestEndpoint,
} from "../../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const DAY = 86_400_000;

let client: Client;
let endpoint: TestEndpoint;
let endpoints: FakeEndpoints;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
  endpoints = new FakeEndpoints(endpoint);
});

const remove = () => client.send("DELETE", `/v1/webhook-endpoints/${endpoint.endpointId}`);
const rows = async () => (await home.DB.prepare("SELECT * FROM webhook_endpoints").all()).results;
const storedKeys = () =>
  runInDurableObject(env.WEBHOOKS.getByName(endpoint.endpointId), async (_, { storage }) => [
    ...(await storage.list()).keys(),
    ...storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf*'").toArray(),
    ...((await storage.getAlarm()) === null ? [] : ["alarm"]),
  ]);

describe("deleteWebhookEndpoint 204", () => {
  it("leaves nothing of the endpoint and its deliveries, and sends nothing any more [A3-6]", async () => {
    await sendTest(client, endpoint);
    expect(await storedKeys()).not.toEqual([]);
    const { status, body } = await remove();
    expect({ status, body }).toEqual({ status: 204, body: null });
    for (const trace of [endpoint.url, "whsec_", "eyJ"])
      expect(JSON.stringify(await rows())).not.toContain(trace);
    expect(await storedKeys()).toEqual([]);
    expect(await ringEndpoint(endpoint)).toBe(false);
    expect(endpoints.received).toEqual([]);
    expectError(await remove(), 404, "webhook_endpoint_not_found");
    later(DAY);
    await runCron(CRONS.sweep);
    expect(await rows()).toHaveLength(1);
    later(1);
    await runCron(CRONS.sweep);
    expect(await rows()).toEqual([]);
  });

  it("takes the endpoint away even where its object can't be reached; the hourly sweep erases that", async () => {
    await sendTest(client, endpoint);
    vi.spyOn(WebhookObject.prototype, "erase").mockRejectedValueOnce(new Error("it was reset"));
    expect((await remove()).status).toBe(204);
    expect((await client.send("GET", "/v1/webhook-endpoints")).body).toEqual({ items: [] });
    expectError(await remove(), 404, "webhook_endpoint_not_found");
    expect(JSON.stringify(await rows())).not.toContain(endpoint.url);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toEqual([]);

    expect(await storedKeys()).not.toEqual([]);
    await runCron(CRONS.sweep);
    expect(await storedKeys()).toEqual([]);
  });

  it("is not undone by an event that was on its way [A3-6]", async () => {
    await remove();
    const late = { id: "evt_late", type: "test", at: Date.now(), body: "{}" } as const;
    expect(await env.WEBHOOKS.getByName(endpoint.endpointId).receive(endpoint.endpointId, late)).toBeNull();
    expect(await storedKeys()).toEqual([]);
  });
});
