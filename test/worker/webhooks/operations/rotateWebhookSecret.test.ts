import { beforeEach, describe, expect, it } from "vitest";
import { RotatedWebhookSecret } from "../../../../src/webhooks/contract/webhook.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { at } from "../../../support/at.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import {
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
  type TestEndpoint,
  verified,
} from "../../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const HOUR = 3_600_000;

let client: Client;
let endpoint: TestEndpoint;
beforeEach(async () => {
  client = await newClient();
  endpoint = await newEndpoint(client);
});

const rotate = () => client.send("POST", `/v1/webhook-endpoints/${endpoint.endpointId}/rotate-secret`);
const rotated = async () => RotatedWebhookSecret.parse((await rotate()).body).secret;

describe("rotateWebhookSecret 200", () => {
  it("returns a new secret; for 24 hours both sign, then the new one alone [A3-7]", async () => {
    const endpoints = new FakeEndpoints(endpoint);
    const { status, body } = await rotate();
    expect(status).toBe(200);
    const { secret, endpoint: shown } = RotatedWebhookSecret.parse(body);
    expect(shown.endpointId).toBe(endpoint.endpointId);
    expect(secret).not.toBe(endpoint.secret);

    const received = async () => {
      await sendTest(client, endpoint);
      await ringEndpoint(endpoint);
      return at(endpoints.received, endpoints.received.length - 1);
    };
    later(24 * HOUR - 1);
    const both = await received();
    for (const valid of [endpoint.secret, secret])
      expect(verified(valid, both)).toMatchObject({ type: "test" });
    later(1);
    const one = await received();
    expect(verified(secret, one)).toMatchObject({ type: "test" });
    expect(() => verified(endpoint.secret, one)).toThrow("No matching signature found");
  });

  it("gives each of two concurrent requests a different secret, and all of them sign", async () => {
    const endpoints = new FakeEndpoints(endpoint);
    const secrets = await Promise.all([rotated(), rotated()]);
    await sendTest(client, endpoint);
    await ringEndpoint(endpoint);
    for (const secret of [endpoint.secret, ...secrets])
      expect(verified(secret, at(endpoints.received, 0))).toMatchObject({ type: "test" });
  });
});

describe("rotateWebhookSecret 409", () => {
  it("refuses a sixth valid secret, until one of the others has expired [A3-22]", async () => {
    later(HOUR);
    for (let i = 0; i < 4; i += 1) await rotated();
    expectError(await rotate(), 409, "too_many_secrets");
    later(24 * HOUR);
    expect((await rotate()).status).toBe(200);
  });
});
