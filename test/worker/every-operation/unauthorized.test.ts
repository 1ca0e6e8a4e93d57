import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PlayedIdentityProvider } from "../../support/worker/access-tokens.ts";
import { newClient, send } from "../../support/worker/api.ts";
import { badCredentials } from "../../support/worker/bad-credentials.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { requestOf } from "../../support/worker/operations.ts";
import { expectError } from "../../support/worker/wire.ts";

describe.each(OPERATION_IDS)("%s 401", (operation) => {
  const { method, path, headers, body } = requestOf(operation);

  const expectUnauthorized = async (authorization: string | null): Promise<void> => {
    const answer = await send(method, path, {
      headers: { ...headers, ...(authorization !== null && { authorization }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const what = `${authorization?.slice(0, 200)}`;
    expectError(answer, 401, "Unauthorized", what);
    expect(answer.headers.get("www-authenticate"), what).toBe("Bearer");
    expect(answer.body, what).toEqual({
      error: "Unauthorized",
      message: expect.stringMatching(/\bkey\b.* missing or invalid/),
    });
  };

  it("refuses 60 shapes of a bad credential, each with the same body [1-6 4.1-4 4.8-2 4.8-4 4.9-2 4.9-6 4.9-8 4.10-4 4.10-7 5-1 5-5 7-3 5-12 A3-1]", async () => {
    const provider = await PlayedIdentityProvider.start();
    const { key } = await newClient();
    const shapes = await badCredentials(provider, key);
    expect(new Set(shapes).size).toBeGreaterThanOrEqual(60);
    for (const shape of shapes) await expectUnauthorized(shape);
  });

  it("refuses a revoked key on its very next use [5-5]", async () => {
    const client = await newClient();
    const before = await client.send(method, path, body, headers);
    expect(before.status).not.toBe(401);
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1").run();
    await expectUnauthorized(`Bearer ${client.key}`);
  });

  it("refuses a suspended account", async () => {
    const client = await newClient();
    await env.DB.prepare("UPDATE accounts SET status = 'suspended'").run();
    await expectUnauthorized(`Bearer ${client.key}`);
  });
});
