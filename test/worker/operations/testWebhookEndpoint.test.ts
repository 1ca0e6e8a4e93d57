import { beforeEach, describe, expect, it } from "vitest";
import { WebhookDelivery } from "../../../src/contract/webhook.ts";
import { type Client, newClient } from "../../support/worker/api.ts";
import { only } from "../../support/at.ts";
import {
  deliveriesOf,
  newEndpoint,
  PlayedEndpoints,
  ringEndpoint,
  type TestEndpoint,
  verified,
} from "../../support/worker/webhooks.ts";
import { expectError } from "../../support/worker/wire.ts";

let client: Client;
let endpoint: TestEndpoint;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client, "https://receiver.test/hook", { events: ["job.failed"] });
});

const path = () => `/v1/webhook-endpoints/${endpoint.endpointId}`;

describe("testWebhookEndpoint 202", () => {
  it("sends an event of the type test, whatever the endpoint wants, as any other is sent [A3-8]", async () => {
    const endpoints = new PlayedEndpoints(endpoint);
    const { status, body } = await client.send("POST", `${path()}/test`);
    expect(status).toBe(202);
    const { event, ...delivery } = WebhookDelivery.parse(body);
    expect(delivery).toEqual({
      deliveryId: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      status: "pending",
      nextAttemptAt: event.timestamp,
      attempts: [],
    });
    expect(event).toMatchObject({ type: "test", data: { endpointId: endpoint.endpointId } });
    await ringEndpoint(endpoint);
    const request = only(endpoints.received);
    expect(verified(endpoint.secret, request)).toEqual(event);
    expect(request.headers["webhook-id"]).toBe(delivery.deliveryId);
    expect(await deliveriesOf(client, endpoint)).toMatchObject([{ event, status: "succeeded" }]);
  });
});

describe("testWebhookEndpoint 409", () => {
  it("refuses to send to an endpoint that is disabled", async () => {
    await client.send("PATCH", path(), { disabled: true });
    expectError(await client.send("POST", `${path()}/test`), 409, "webhook_endpoint_disabled");
    expect(await deliveriesOf(client, endpoint)).toEqual([]);
  });
});
