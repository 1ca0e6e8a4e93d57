import { beforeEach, describe, expect, it, vi } from "vitest";
import { CreatedWebhookEndpoint } from "../../../../src/webhooks/contract/webhook.ts";
import { IdempotencyKeys } from "../../../../src/shared/storage/idempotency-keys.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { createEndpoint, newEndpoint } from "../../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const URL = "https://receiver.test/hook";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const endpointsMade = () => home.DB.prepare("SELECT count(*) AS n FROM webhook_endpoints").first<number>("n");

describe("createWebhookEndpoint 201", () => {
  it("answers with the endpoint and its secret, which is shown once [A3-2]", async () => {
    const { status, body } = await createEndpoint(client, {
      url: URL,
      events: ["job.succeeded", "job.failed", "job.failed"],
      description: "the shop",
    });
    expect(status).toBe(201);
    const { endpoint, secret, secretUnavailable } = CreatedWebhookEndpoint.parse(body);
    expect(secretUnavailable).toBe(false);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toEqual({
      endpointId: expect.stringMatching(/^whe_[0-9a-f]{32}$/),
      url: URL,
      events: ["job.succeeded", "job.failed"],
      description: "the shop",
      disabled: false,
      disabledReason: null,
      disabledAt: null,
      createdAt: endpoint.updatedAt,
      updatedAt: endpoint.updatedAt,
    });
    const { body: list } = await client.send("GET", "/v1/webhook-endpoints");
    expect(list).toEqual({ items: [endpoint] });
  });

  it("takes a URL alone, for all events, and ignores fields that it does not know", async () => {
    const { status, body } = await createEndpoint(client, { url: URL, colour: "red" });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { endpoint: { events: null, description: null } },
    });
  });

  it("keeps the secret sealed, and in clear nowhere [A3-2]", async () => {
    const { endpointId, secret } = await newEndpoint(client);
    const tables = await Promise.all(
      ["webhook_endpoints", "idempotency_keys"].map((table) =>
        home.DB.prepare(`SELECT * FROM ${table}`).all(),
      ),
    );
    const stored = JSON.stringify(tables.map((table) => table.results));
    expect(stored).toContain(endpointId);
    expect(stored).not.toContain(secret.slice("whsec_".length));
  });

  it("answers a repetition with the same endpoint, without the secret [A3-3]", async () => {
    const first = await createEndpoint(client, { url: URL }, "k");
    const again = await createEndpoint(client, { url: URL, other: "ignored" }, "k");
    expect(again).toMatchObject({ status: 201, replayed: "true" });
    expect(again.body).toEqual({ endpoint: first.body.endpoint, secretUnavailable: true });
    expect(await endpointsMade()).toBe(1);
  });

  it("answers for the endpoint even if the request that made it was cut off: its secret is lost, and can be rotated", async () => {
    const complete = vi.spyOn(IdempotencyKeys.prototype, "complete");
    complete.mockRejectedValueOnce(new Error("the Worker was stopped"));
    const first = await createEndpoint(client, { url: URL }, "k");
    later(61_000);
    const again = await createEndpoint(client, { url: URL }, "k");
    expect(again).toMatchObject({
      status: 201,
      body: { endpoint: first.body.endpoint, secretUnavailable: true },
    });
    expect(await endpointsMade()).toBe(1);
  });
});

describe("createWebhookEndpoint 400", () => {
  it("refuses a request without an Idempotency-Key [A3-2]", async () => {
    const answer = await client.send("POST", "/v1/webhook-endpoints", { url: URL });
    expectError(answer, 400, "invalid_idempotency_key");
    expect(await endpointsMade()).toBe(0);
  });

  it.each([
    ["no URL", {}],
    ["an empty URL", { url: "" }],
    ["a URL of 2,049 characters", { url: `${URL}/`.padEnd(2_049, "x") }],
    ["an unknown event", { url: URL, events: ["job.started"] }],
    ["an empty list of events", { url: URL, events: [] }],
    ["a description of 201 characters", { url: URL, description: "x".repeat(201) }],
  ])("refuses %s, and the Idempotency-Key stays free", async (_, body) => {
    expectError(await createEndpoint(client, body, "k"), 400, "invalid_request");
    expect(await endpointsMade()).toBe(0);
    expect((await createEndpoint(client, { url: URL }, "k")).status).toBe(201);
  });
});

describe("createWebhookEndpoint 409", () => {
  it("refuses an Idempotency-Key that was used with another body", async () => {
    await createEndpoint(client, { url: URL }, "k");
    const other = await createEndpoint(client, { url: `${URL}/2` }, "k");
    expectError(other, 409, "idempotency_mismatch");
  });

  it("refuses an eleventh endpoint, until one is deleted; other accounts have their own ten [A3-11]", async () => {
    const [first] = await Promise.all(Array.from({ length: 10 }, () => newEndpoint(client)));
    expectError(await createEndpoint(client, { url: URL }), 409, "too_many_webhook_endpoints");
    expect((await createEndpoint(await newClient(), { url: URL })).status).toBe(201);
    await client.send("DELETE", `/v1/webhook-endpoints/${first?.endpointId}`);
    expect((await createEndpoint(client, { url: URL })).status).toBe(201);
  });

  it("refuses a hundred and first endpoint to an account that makes and deletes them all day, until a day has passed", async () => {
    await home.DB.prepare(
      `INSERT INTO webhook_endpoints (id, account_id, url, secrets, enabled_at, deleted_at, erased_at, created_at, updated_at)
       SELECT 'whe_' || value, ?1, '', '', ?2, ?2, ?2, ?2, ?2 FROM json_each(?3)`,
    )
      .bind(client.accountId, Date.now(), JSON.stringify(Array.from({ length: 99 }, (_, i) => i)))
      .run();
    const { endpointId } = await newEndpoint(client);
    await client.send("DELETE", `/v1/webhook-endpoints/${endpointId}`);
    const answer = await createEndpoint(client, { url: URL });
    expectError(answer, 409, "too_many_webhook_endpoints");
    expect(answer.body.message).toContain(
      "100 webhook endpoints, including those deleted within the last day",
    );
    later(86_400_001);
    await runCron(CRONS.sweep);
    expect((await createEndpoint(client, { url: URL })).status).toBe(201);
  });

  it("lets exactly ten of many requests at once through [A3-11]", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => createEndpoint(client, { url: URL })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await endpointsMade()).toBe(10);
  });
});
