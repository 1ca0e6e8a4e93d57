import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { CreatedApiKey } from "../../../src/contract/api-key.ts";
import { apiKeyDigest, isWellFormedApiKey } from "../../../src/core/api-key.ts";
import { newClient, send, type Client } from "../../support/worker/api.ts";
import { createKey, newKey } from "../../support/worker/api-keys.ts";

describe("createApiKey 201", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it("answers with the key and its secret, which lets into the same account at once", async () => {
    const { status, headers, body } = await createKey(client, { label: "laptop" });
    expect(status).toBe(201);
    expect(headers.get("idempotent-replayed")).toBeNull();
    const { apiKey, secret = "", secretUnavailable } = CreatedApiKey.parse(body);
    expect(secretUnavailable).toBe(false);
    expect(isWellFormedApiKey(secret)).toBe(true);
    expect(apiKey).toEqual({
      keyId: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      label: "laptop",
      prefix: secret.slice(0, 12),
      revoked: false,
      revokedAt: null,
      createdAt: apiKey.updatedAt,
      updatedAt: apiKey.updatedAt,
    });
    const { body: account } = await send("GET", "/v1/account", {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(account.accountId).toBe(client.accountId);
  });

  it("keeps the secret's digest, and the secret nowhere", async () => {
    const { apiKey, secret } = await newKey(client, "laptop");
    const tables = await Promise.all(
      ["api_keys", "idempotency_keys"].map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()),
    );
    const stored = JSON.stringify(tables.map((table) => table.results));
    expect(stored).toContain(await apiKeyDigest(secret));
    expect(stored).toContain(apiKey.keyId);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(secret.slice(12));
  });

  it("answers a repetition with the same key, without the secret", async () => {
    const first = await createKey(client, { label: "laptop" }, "k");
    const again = await createKey(client, { label: "laptop", other: "ignored" }, "k");
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(again.body).toEqual({ apiKey: first.body.apiKey, secretUnavailable: true });
    expect(await env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE label = 'laptop'").first("n")).toBe(
      1,
    );
  });

  it("makes two keys of one label for two Idempotency-Keys", async () => {
    const one = await newKey(client, "same");
    const two = await newKey(client, "same");
    expect(two.apiKey.keyId).not.toBe(one.apiKey.keyId);
    expect(two.secret).not.toBe(one.secret);
  });

  it("takes a label of 1 and of 100 characters, of any script, and an Idempotency-Key of 128", async () => {
    for (const [i, label] of ["x", "鍵".repeat(100), "' OR 1=1 --"].entries()) {
      const { status, body } = await createKey(client, { label }, String(i).repeat(128));
      expect([status, body.apiKey?.label]).toEqual([201, label]);
    }
  });
});
