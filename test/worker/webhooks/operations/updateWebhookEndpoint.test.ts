import { beforeEach, describe, expect, it } from "vitest";
import { WebhookEndpoint } from "../../../../src/webhooks/contract/webhook.ts";
import { WebhookObject } from "../../../../src/index.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
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
import { vi } from "vitest";
import { shownEndpoint } from "../../../support/worker/fixtures/webhook-endpoint.ts";

let client: Client;
let endpoint: TestEndpoint;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client, "https://receiver.test/hook", {
    events: ["job.failed"],
    description: "the shop",
  });
});

const update = (body: unknown) => client.send("PATCH", `/v1/webhook-endpoints/${endpoint.endpointId}`, body);
describe("updateWebhookEndpoint 200", () => {
  it("changes only the given fields [A3-5]", async () => {
    const before = await shownEndpoint(client, endpoint);
    later(1_000);
    const { status, body } = await update({ url: "https://other.test/", ignored: 1 });
    expect(status).toBe(200);
    const { updatedAt } = WebhookEndpoint.parse(body);
    expect(body).toEqual({ ...before, url: "https://other.test/", updatedAt });
    expect(updatedAt > before.updatedAt).toBe(true);
    expect((await update({ events: ["archive.ready"] })).body).toMatchObject({
      events: ["archive.ready"],
      description: "the shop",
    });
    expect((await update({ events: null, description: null })).body).toMatchObject({
      events: null,
      description: null,
      url: "https://other.test/",
    });
    expect(await shownEndpoint(client, endpoint)).toMatchObject({
      events: null,
      description: null,
      disabled: false,
    });
  });

  it("disables the endpoint: nothing is sent, and what waits continues once it is enabled again [A3-5]", async () => {
    const endpoints = new FakeEndpoints(endpoint);
    await sendTest(client, endpoint);
    const disabled = await update({ disabled: true });
    expect(disabled.body).toMatchObject({ disabled: true, disabledReason: "by_account" });
    expect(disabled.body.disabledAt).toBe(disabled.body.updatedAt);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toEqual([]);

    later(60_000);
    expect((await update({ disabled: true })).body.disabledAt).toBe(disabled.body.disabledAt);
    expect((await update({ disabled: false })).body).toMatchObject({
      disabled: false,
      disabledReason: null,
      disabledAt: null,
    });
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(1);
    expect(await deliveriesOf(client, endpoint)).toMatchObject([{ status: "succeeded" }]);
  });

  it("enables the endpoint even where its object can't be reached: what waits continues with the next event", async () => {
    const endpoints = new FakeEndpoints(endpoint);
    await sendTest(client, endpoint);
    await update({ disabled: true });
    await ringEndpoint(endpoint);
    vi.spyOn(WebhookObject.prototype, "resume").mockRejectedValueOnce(new Error("it was reset"));
    expect((await update({ disabled: false })).status).toBe(200);
    await sendTest(client, endpoint);
    await ringEndpoint(endpoint);
    expect(endpoints.received).toHaveLength(2);
  });
});

describe("updateWebhookEndpoint 400", () => {
  it.each([
    ["no list of events", { events: "job.failed" }],
    ["an unknown event", { events: ["job.gone"] }],
    ["no boolean", { disabled: "yes" }],
    ["an empty URL", { url: "" }],
    ["no URL", { url: null }],
  ])("refuses %s, and changes nothing", async (_, body) => {
    const before = await shownEndpoint(client, endpoint);
    expectError(await update({ description: "other", ...body }), 400, "invalid_request");
    expect(await shownEndpoint(client, endpoint)).toEqual(before);
  });
});
