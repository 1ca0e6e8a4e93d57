import { describe, expect, it } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import { FakeIdentityProvider } from "../../support/worker/client/access-tokens.ts";
import { type Answer, newClient, send } from "../../support/worker/client/api.ts";
import { badCredentials } from "../../support/worker/client/bad-credentials.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { expectError } from "../../support/worker/client/wire.ts";

describe.each(OPERATION_IDS)("%s 401", (operation) => {
  const { method, path, headers, body } = requestOf(operation);

  const sendAs = (credentials: Record<string, string>): Promise<Answer> =>
    send(method, path, {
      headers: { ...headers, ...credentials },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const expectUnauthorized = async (
    authorization: string | null,
    others: Record<string, string> = {},
  ): Promise<void> => {
    const answer = await sendAs({ ...(authorization !== null && { authorization }), ...others });
    const what = `${authorization?.slice(0, 200)}`;
    expectError(answer, 401, "Unauthorized", what);
    expect(answer.headers.get("www-authenticate"), what).toBe("Bearer");
    expect(answer.body, what).toEqual({
      error: "Unauthorized",
      message: expect.stringMatching(/\bkey\b.* missing or invalid/),
    });
  };

  it("refuses the shapes of a bad credential, each with the same body [1-6 4.1-4 4.8-2 4.8-4 4.9-2 4.9-6 4.9-8 4.10-4 4.10-7 5-1 5-5 7-3 5-12 A3-1]", async () => {
    const provider = await FakeIdentityProvider.start();
    const { key } = await newClient();
    const shapes = await badCredentials(provider, key);
    expect(new Set(shapes).size).toBeGreaterThanOrEqual(60);
    // One operation has all of them in the short form, the others every sixth.
    const step = isLong || operation === OPERATION_IDS[0] ? 1 : 6;
    for (let at = 0; at < shapes.length; at += step) await expectUnauthorized(shapes[at] ?? "");
  });

  it("takes the credential in x-api-key, but Authorization decides where both are sent [A24-1]", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const key = { "x-api-key": client.key };
    const { status } = await sendAs(key);
    expect(status).not.toBe(401);
    expect((await sendAs({ "x-api-key": "sk_live_1", authorization: `Bearer ${other.key}` })).status).toBe(
      status,
    );
    for (const bad of ["sk_live_1", `Bearer ${client.key}`])
      await expectUnauthorized(null, { "x-api-key": bad });
    for (const bad of ["Bearer sk_live_1", client.key]) await expectUnauthorized(bad, key);
  });

  it("refuses a revoked key on its very next use [5-5]", async () => {
    const client = await newClient();
    const before = await client.send(method, path, body, headers);
    expect(before.status).not.toBe(401);
    await home.DB.prepare("UPDATE api_keys SET revoked_at = 1").run();
    await expectUnauthorized(`Bearer ${client.key}`);
  });

  it("refuses a suspended account", async () => {
    const client = await newClient();
    await home.DB.prepare("UPDATE accounts SET status = 'suspended'").run();
    await expectUnauthorized(`Bearer ${client.key}`);
  });
});
