import { describe, expect, it } from "vitest";
import { WebhookEndpoint } from "../../../../src/webhooks/contract/webhook.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { newEndpoint } from "../../../support/worker/fakes/webhooks.ts";

describe("retrieveWebhookEndpoint 200", () => {
  it("returns the endpoint without its secret [A3-4]", async () => {
    const client = await newClient();
    const { endpointId, url } = await newEndpoint(client);
    const { status, body } = await client.send("GET", `/v1/webhook-endpoints/${endpointId}`);
    expect(status).toBe(200);
    expect(WebhookEndpoint.parse(body)).toMatchObject({ endpointId, url, disabled: false });
  });
});
