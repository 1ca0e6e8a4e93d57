import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { newClient, type Client } from "../../support/worker/api.ts";
import { createKey } from "../../support/worker/api-keys.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createApiKey 400", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const expectNoKeyMade = async () =>
    expect(await env.DB.prepare("SELECT count(*) AS n FROM api_keys").first("n")).toBe(1);

  it("refuses a request without an Idempotency-Key, or with one that is empty or longer than 128", async () => {
    const body = { label: "laptop" };
    expectError(await client.send("POST", "/v1/api-keys", body), 400, "invalid_idempotency_key");
    for (const key of ["", "   ", "x".repeat(129)]) {
      expectError(await createKey(client, body, key), 400, "invalid_idempotency_key");
    }
    await expectNoKeyMade();
  });

  it.each([
    ["no label", {}],
    ["an empty label", { label: "" }],
    ["a label of 101 characters", { label: "x".repeat(101) }],
    ["a label that is no string", { label: 7 }],
    ["a label that is null", { label: null }],
    ["a list", []],
    ["a text", "label"],
    ["null", null],
  ])("refuses %s, and the Idempotency-Key stays free", async (_, body) => {
    expectError(await createKey(client, body, "k"), 400, "invalid_request");
    await expectNoKeyMade();
    expect((await createKey(client, { label: "laptop" }, "k")).status).toBe(201);
  });

  it("refuses a body that is no JSON", async () => {
    expectError(await createKey(client, undefined, "k"), 400, "unsupported_content_type");
    await expectNoKeyMade();
  });
});
