import { describe, expect, it } from "vitest";
import { WebhookEndpointList } from "../../../../src/webhooks/contract/webhook.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { newEndpoint } from "../../../support/worker/fakes/webhooks.ts";

describe("listWebhookEndpoints 200", () => {
  it("returns the account's endpoints, newest first, without secrets [A3-4]", async () => {
    const client = await newClient();
    const made = [await newEndpoint(client), await newEndpoint(client, "https://other.test/")];
    await newEndpoint(await newClient());
    const { status, body } = await client.send("GET", "/v1/webhook-endpoints");
    expect(status).toBe(200);
    const { items } = WebhookEndpointList.parse(body);
    expect(items.map(({ endpointId }) => endpointId)).toEqual(
      made.map(({ endpointId }) => endpointId).toReversed(),
    );
    expect(JSON.stringify(body)).not.toContain("whsec_");
  });

  it("is empty for an account that has none", async () => {
    const client = await newClient();
    expect((await client.send("GET", "/v1/webhook-endpoints")).body).toEqual({ items: [] });
  });
});
