import { beforeEach, describe, expect, it, vi } from "vitest";
import { CreatedApiKey } from "../../../../src/accounts/contract/api-key.ts";
import { apiKeyDigest, isWellFormedApiKey } from "../../../../src/accounts/rules/api-key.ts";
import { IdempotencyKeys } from "../../../../src/shared/storage/idempotency-keys.ts";
import { createKey, newKey } from "../../../support/worker/client/api-keys.ts";
import { type Answer, type Client, newClient, send } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe("createApiKey 201", () => {
  it("answers with the key and its secret, which works at once [2.7-1 2.7-2 4.9-5 3.3-1 5-2 2-1]", async () => {
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

  it("keeps the secret's digest, and the secret nowhere [4.9-16]", async () => {
    const { apiKey, secret } = await newKey(client, "laptop");
    const tables = await Promise.all(
      ["api_keys", "idempotency_keys"].map((table) => home.DB.prepare(`SELECT * FROM ${table}`).all()),
    );
    const stored = JSON.stringify(tables.map((table) => table.results));
    expect(stored).toContain(await apiKeyDigest(secret));
    expect(stored).toContain(apiKey.keyId);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(secret.slice(12));
  });

  it("answers a repetition with the same key, without the secret [2.7-2 4.9-5 4.3-23 4.9-9 4.10-15]", async () => {
    const first = await createKey(client, { label: "laptop" }, "k");
    const again = await createKey(client, { label: "laptop", other: "ignored" }, "k");
    expect(again).toMatchObject({ status: 201, replayed: "true" });
    expect(again.body).toEqual({ apiKey: first.body.apiKey, secretUnavailable: true });
    expect(
      await home.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE label = 'laptop'").first("n"),
    ).toBe(1);
  });

  it("makes two keys of one label for two Idempotency-Keys", async () => {
    const one = await newKey(client, "same");
    const two = await newKey(client, "same");
    expect(two.apiKey.keyId).not.toBe(one.apiKey.keyId);
    expect(two.secret).not.toBe(one.secret);
  });

  it("takes a label of 1 and of 100 characters, of any script, and an Idempotency-Key of 128 [4.9-3 8-7 4.9-12]", async () => {
    for (const [i, label] of ["x", "鍵".repeat(100), "' OR 1=1 --"].entries()) {
      const { status, body } = await createKey(client, { label }, String(i).repeat(128));
      expect({ status, body }).toMatchObject({ status: 201, body: { apiKey: { label } } });
    }
  });
});

describe("createApiKey 400", () => {
  const expectNoKeyMade = async () =>
    expect(await home.DB.prepare("SELECT count(*) AS n FROM api_keys").first("n")).toBe(1);

  it("refuses a request without an Idempotency-Key, or with one that is empty or longer than 128 [4.9-3 8-7]", async () => {
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
  ])("refuses %s, and the Idempotency-Key stays free [4.9-4 4.9-12]", async (_, body) => {
    expectError(await createKey(client, body, "k"), 400, "invalid_request");
    await expectNoKeyMade();
    expect((await createKey(client, { label: "laptop" }, "k")).status).toBe(201);
  });

  it("refuses a body that is no JSON", async () => {
    expectError(await createKey(client, undefined, "k"), 400, "unsupported_content_type");
    await expectNoKeyMade();
  });
});

const keysMade = () => home.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE label <> 'test'").first("n");

describe("createApiKey 409", () => {
  it("refuses an Idempotency-Key that was used with another body, and remembers the first [4.10-16]", async () => {
    const first = await createKey(client, { label: "one" }, "k");
    expectError(await createKey(client, { label: "two" }, "k"), 409, "idempotency_mismatch");
    expect(await keysMade()).toBe(1);
    expect((await createKey(client, { label: "one" }, "k")).body.apiKey).toEqual(first.body.apiKey);
  });

  it("an account cannot have more than 100 live keys [4.9-15]", async () => {
    const stored = home.DB.prepare(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
       SELECT 'key_' || value, ?1, 'stored', '', 'digest ' || value, 0, 0 FROM json_each(?2)`,
    ).bind(client.accountId, JSON.stringify(Array.from({ length: 98 }, (_, i) => i)));
    await stored.run();
    const { apiKey } = await newKey(client, "the hundredth");
    expectError(await createKey(client, { label: "one more" }, "k"), 409, "too_many_keys");
    expect((await newClient().then((other) => createKey(other, { label: "x" }))).status).toBe(201);

    await client.send("DELETE", `/v1/api-keys/${apiKey.keyId}`);
    expect(await createKey(client, { label: "one more" }, "k")).toMatchObject({
      status: 201,
      replayed: null,
    });
  });

  it("creates exactly as many keys as fit for many concurrent requests [4.9-15]", async () => {
    overrideSettings({ MAX_API_KEYS: 4 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => createKey(client, { label: "one" })));
    const refused = answers.filter((answer) => answer.status !== 201);
    // The fourth is the client's key.
    expect({ refused: refused.length, made: await keysMade() }).toEqual({ refused: 17, made: 3 });
    for (const answer of refused) expectError(answer, 409, "too_many_keys");
  });

  it("replays the answer for a key that was the last to fit", async () => {
    overrideSettings({ MAX_API_KEYS: 2 });
    const first = await createKey(client, { label: "one" }, "k");
    expect(await createKey(client, { label: "one" }, "k")).toMatchObject({
      status: 201,
      replayed: "true",
      body: { apiKey: first.body.apiKey },
    });
  });

  it("answers for the last key that fitted even if the request that made it was cut off", async () => {
    overrideSettings({ MAX_API_KEYS: 2 });
    const complete = vi.spyOn(IdempotencyKeys.prototype, "complete");
    complete.mockRejectedValueOnce(new Error("the Worker was stopped"));
    const first = await createKey(client, { label: "one" }, "k");
    later(61_000);
    const again = await createKey(client, { label: "one" }, "k");
    expect(again).toMatchObject({
      status: 201,
      body: { apiKey: first.body.apiKey, secretUnavailable: true },
    });
    expect(await keysMade()).toBe(1);
  });

  it("an account cannot fill the database by making and revoking keys: ten times as many are on record", async () => {
    overrideSettings({ MAX_API_KEYS: 2 });
    for (let i = 0; i < 19; i += 1) {
      const { apiKey } = await newKey(client, "short-lived");
      await client.send("DELETE", `/v1/api-keys/${apiKey.keyId}`);
    }
    const answer = await createKey(client, { label: "one more" });
    expectError(answer, 409, "too_many_keys");
    expect(answer.body.message).toContain("20 API keys, including revoked ones");

    const { apiKeys } = home.platform;
    expect(await apiKeys.purge(Date.now() + 1, 100)).toBe(19);
    expect((await createKey(client, { label: "one more" })).status).toBe(201);
  });

  it("makes one key of 200 requests at once: one shows the secret, the others are replays or asked to retry later [4.10-17]", async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => createKey(client, { label: "one" }, "k")),
    );
    expect(await keysMade()).toBe(1);
    const made = answers.filter((answer) => answer.status === 201);
    expect(made.filter((answer) => answer.body.secret !== undefined)).toHaveLength(1);
    expect(new Set(made.map((answer) => answer.body.apiKey.keyId)).size).toBe(1);
    const waiting = answers.filter((answer) => answer.status !== 201);
    expect(waiting.length, "some came while the first was running").toBeGreaterThan(0);
    for (const answer of waiting) expectInProgress(answer);

    const after = await createKey(client, { label: "one" }, "k");
    expect(after).toMatchObject({ status: 201, replayed: "true" });
    expect(after.body).toEqual({ apiKey: made[0]?.body.apiKey, secretUnavailable: true });
  });
});

function expectInProgress(answer: Answer): void {
  expectError(answer, 409, "idempotency_in_progress");
  expect(answer.body.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
}
