import { beforeEach, describe, expect, it } from "vitest";
import { WebhookDeliveryList } from "../../../../src/webhooks/contract/webhook.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import {
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
  type TestEndpoint,
} from "../../../support/worker/fakes/webhooks.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
let endpoint: TestEndpoint;
let endpoints: FakeEndpoints;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
  endpoints = new FakeEndpoints(endpoint);
});

const list = (query = "", { endpointId } = endpoint) =>
  client.send("GET", `/v1/webhook-endpoints/${endpointId}/deliveries${query}`);

describe("listWebhookDeliveries 200", () => {
  it("returns event, status and attempts with time, status and milliseconds, newest first [A3-9]", async () => {
    const first = await sendTest(client, endpoint);
    const failed = { attemptedAt: new Date().toISOString(), status: 503, milliseconds: 0, error: null };
    endpoints.answer(endpoint, () => new Response("busy", { status: 503 }));
    await ringEndpoint(endpoint);
    const second = await sendTest(client, endpoint);
    const { status, body } = await list();
    expect(status).toBe(200);
    const { items, nextToken } = WebhookDeliveryList.parse(body);
    expect(items).toEqual([
      second,
      { ...first, attempts: [failed], nextAttemptAt: expect.toSatisfy((next) => next > failed.attemptedAt) },
    ]);
    expect(nextToken).toBeNull();
  });

  it("returns each delivery once over its pages, even where new ones arrive in between [A3-9]", async () => {
    const sent: string[] = [];
    for (let i = 0; i < 7; i += 1) sent.push((await sendTest(client, endpoint)).deliveryId);
    const seen: string[] = [];
    let query = "?limit=3";
    for (let pages = 1; ; pages += 1) {
      const { items, nextToken } = WebhookDeliveryList.parse((await list(query)).body);
      seen.push(...items.map(({ deliveryId }) => deliveryId));
      if (nextToken === null) {
        expect(pages).toBe(3);
        break;
      }
      await sendTest(client, endpoint);
      query = `?limit=3&nextToken=${nextToken}`;
    }
    expect(seen).toEqual(sent.toReversed());
  });

  it("is empty before the first event", async () => {
    expect((await list()).body).toEqual({ items: [], nextToken: null });
  });

  it("forgets a delivery after a month [A3-22]", async () => {
    await sendTest(client, endpoint);
    await ringEndpoint(endpoint);
    later(30 * 86_400_000);
    await sendTest(client, endpoint);
    expect((await list()).body.items).toHaveLength(2);
    later(1);
    await ringEndpoint(endpoint);
    expect((await list()).body.items).toHaveLength(1);
  });
});

describe("listWebhookDeliveries 400", () => {
  it.each(["0", "101", "-1", "1.5", "x", ""])("refuses a limit of %j", async (limit) => {
    expectError(await list(`?limit=${limit}`), 400, "invalid_request");
  });

  it("refuses a cursor that is forged, or another endpoint's or list's", async () => {
    for (let i = 0; i < 2; i += 1) await sendTest(client, endpoint);
    const { nextToken } = (await list("?limit=1")).body;
    const other = await newEndpoint(client);
    expectError(await list(`?nextToken=${nextToken}`, other), 400, "invalid_cursor");
    expectError(await list(`?nextToken=${nextToken}x`), 400, "invalid_cursor");
    expectError(await list("?nextToken=x"), 400, "invalid_cursor");
    expectError(await client.send("GET", `/v1/jobs?nextToken=${nextToken}`), 400, "invalid_cursor");
  });
});
