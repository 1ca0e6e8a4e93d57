import { beforeEach, describe, expect, it } from "vitest";
import { WebhookDelivery } from "../../../../src/webhooks/contract/webhook.ts";
import { type Answer, type Client, newClient } from "../../../support/worker/client/api.ts";
import { only } from "../../../support/at.ts";
import {
  deliveriesOf,
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  type TestEndpoint,
  verified,
} from "../../../support/worker/fakes/webhooks.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
let endpoint: TestEndpoint;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client, "https://receiver.test/hook", { events: ["job.failed"] });
});

const path = () => `/v1/webhook-endpoints/${endpoint.endpointId}`;

describe("testWebhookEndpoint 202", () => {
  it("sends an event of the type test like any other, for any chosen types [A3-8]", async () => {
    const endpoints = new FakeEndpoints(endpoint);
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

describe("testWebhookEndpoint 429", () => {
  it("rate_limited: the account has made 60 tests of its endpoints within the hour, in any isolates", async () => {
    const other = await newEndpoint(client, "https://receiver.test/other");
    const ask = (endpointId: string) => client.send("POST", `/v1/webhook-endpoints/${endpointId}/test`);
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 70 }, (_, i) => ask(i % 2 === 0 ? endpoint.endpointId : other.endpointId)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(60);
    const refused = await ask(endpoint.endpointId);
    expectError(refused, 429, "rate_limited");
    later(refused.body.retryAfterSeconds * 1_000);
    expect((await ask(endpoint.endpointId)).status).toBe(202);
  });
});

describe("testWebhookEndpoint 409", () => {
  it("refuses to send to an endpoint that is disabled", async () => {
    await client.send("PATCH", path(), { disabled: true });
    expectError(await client.send("POST", `${path()}/test`), 409, "webhook_endpoint_disabled");
    expect(await deliveriesOf(client, endpoint)).toEqual([]);
  });
});
