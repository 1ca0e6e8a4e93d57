import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { newClient, type Answer, type Client } from "../../support/worker/api.ts";
import { createKey } from "../../support/worker/api-keys.ts";
import { expectError } from "../../support/worker/wire.ts";

const keysMade = () => env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE label <> 'test'").first("n");

describe("createApiKey 409", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it("refuses an Idempotency-Key that was used with another body, and remembers the first", async () => {
    const first = await createKey(client, { label: "one" }, "k");
    expectError(await createKey(client, { label: "two" }, "k"), 409, "idempotency_mismatch");
    expect(await keysMade()).toBe(1);
    expect((await createKey(client, { label: "one" }, "k")).body.apiKey).toEqual(first.body.apiKey);
  });

  it("makes one key of 200 requests at once: one shows the secret, the others are replays or told to come again", async () => {
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
    expect([after.status, after.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(after.body).toEqual({ apiKey: made[0]?.body.apiKey, secretUnavailable: true });
  });
});

function expectInProgress(answer: Answer): void {
  expectError(answer, 409, "idempotency_in_progress");
  expect(answer.body.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
}
