import { beforeEach, describe, expect, it } from "vitest";
import { WebhookDelivery } from "../../../../src/webhooks/contract/webhook.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { at } from "../../../support/at.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import {
  deliveriesOf,
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
  type TestEndpoint,
} from "../../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { isLong } from "../../../support/worker/client/random.ts";

let client: Client;
let endpoint: TestEndpoint;
let endpoints: FakeEndpoints;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
  endpoints = new FakeEndpoints(endpoint);
});

const retry = (deliveryId: string) =>
  client.send("POST", `/v1/webhook-endpoints/${endpoint.endpointId}/deliveries/${deliveryId}/retry`);
const refuse = () => endpoints.answer(endpoint, () => new Response(null, { status: 500 }));

describe("retryWebhookDelivery 202", () => {
  it("tries a waiting one at once, and it succeeds [A3-10]", async () => {
    const { deliveryId } = await sendTest(client, endpoint);
    refuse();
    await ringEndpoint(endpoint);
    endpoints.answer(endpoint, () => new Response(null, { status: 200 }));
    const { status, body } = await retry(deliveryId);
    expect(status).toBe(202);
    expect(WebhookDelivery.parse(body)).toMatchObject({
      deliveryId,
      status: "pending",
      nextAttemptAt: new Date().toISOString(),
    });
    await ringEndpoint(endpoint);
    expect(await deliveriesOf(client, endpoint)).toMatchObject([{ deliveryId, status: "succeeded" }]);
    const ids = endpoints.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual([deliveryId, deliveryId]);
  });

  it("sends one again that has succeeded, with the same id and the same body [A3-10]", async () => {
    const { deliveryId } = await sendTest(client, endpoint);
    await ringEndpoint(endpoint);
    later(60_000);
    await retry(deliveryId);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(2);
    const [first, second] = endpoints.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(Number(second?.headers["webhook-timestamp"])).toBe(
      Number(first?.headers["webhook-timestamp"]) + 60,
    );
  });
});

describe("retryWebhookDelivery 404", () => {
  it("answers a delivery of another endpoint, an unknown and a malformed id alike, byte for byte", async () => {
    const other = await newEndpoint(client);
    const foreign = await sendTest(client, other);
    await sendTest(client, endpoint);
    const answers = await Promise.all(
      [foreign.deliveryId, `evt_${"0".repeat(32)}`, "evt_1", "%00", "x".repeat(3_000)].map((id) => retry(id)),
    );
    for (const answer of answers) {
      expectError(answer, 404, "webhook_delivery_not_found");
      expect(answer.body).toEqual(at(answers, 0).body);
    }
  });

  it("answers the same for an endpoint without deliveries", async () => {
    expectError(await retry(`evt_${"0".repeat(32)}`), 404, "webhook_delivery_not_found");
  });
});

describe("retryWebhookDelivery 409", () => {
  it("refuses to send to an endpoint that is disabled", async () => {
    const { deliveryId } = await sendTest(client, endpoint);
    await client.send("PATCH", `/v1/webhook-endpoints/${endpoint.endpointId}`, { disabled: true });
    expectError(await retry(deliveryId), 409, "webhook_endpoint_disabled");
  });

  it.runIf(isLong)("refuses a thirty-first attempt [A3-22]", async () => {
    const { deliveryId } = await sendTest(client, endpoint);
    refuse();
    await ringEndpoint(endpoint);
    for (let attempts = 1; attempts < 30; attempts += 1) {
      expect((await retry(deliveryId)).status).toBe(202);
      await ringEndpoint(endpoint);
    }
    expectError(await retry(deliveryId), 409, "too_many_attempts");
    const [delivery] = await deliveriesOf(client, endpoint);
    expect(delivery).toMatchObject({ status: "failed", attempts: { length: 30 } });
  });
});
