import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { generateApiKey } from "../../../src/core/api-key.ts";
import { signToken } from "../../../src/core/signed-token.ts";
import { platformOf } from "../../../src/platform.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import { newProviderKey, PlayedIdentityProvider, goodClaims, rawToken } from "./access-tokens.ts";
import { newClient, send } from "./api.ts";
import { requestOf } from "./operations.ts";

const flipLast = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");

/** Everything that can be wrong with the form of a credential: whole headers, null for none. */
const badHeaders = (key: string, token: string): (string | null)[] => [
  null,
  "",
  " ",
  "Bearer",
  "Bearer ",
  key,
  token,
  `Basic ${key}`,
  `Basic ${btoa(`${key}:`)}`,
  `Digest ${key}`,
  `Token ${key}`,
  `Bearer: ${key}`,
  `Bearer=${key}`,
  `Bearer\t${key}`,
  `Bearer "${key}"`,
  `Bearer <${key}>`,
  `BearerBearer ${key}`,
  `Bearer Bearer ${key}`,
  `Bearer ${key} ${key}`,
  `Bearer ${key}, Bearer ${key}`,
  `Bearer ${key},`,
  `${key} Bearer`,
  "Bearer null",
  "Bearer undefined",
  "Bearer {}",
  "Bearer .",
  "Bearer ..",
  "Bearer a.b.c",
  "Bearer a.b.c.d.e",
  "Bearer sk_live_",
  `Bearer ${"x".repeat(5_000)}`,
  `Bearer ${"x.".repeat(50_000)}`,
];

/** Keys that are none, each close to one that is. */
const badKeys = (key: string): string[] => [
  `${key}x`,
  key.slice(0, -1),
  key.slice(0, 8),
  key.slice(8),
  key.toLowerCase(),
  key.toUpperCase(),
  flipLast(key),
  `sk_test_${key.slice(8)}`,
  `SK_LIVE_${key.slice(8)}`,
  key.slice(0, 30) + flipLast(key.slice(30, 31)) + key.slice(31),
  `${key}%00`,
  encodeURIComponent(`${key}\n`),
  generateApiKey(),
];

/** Access tokens that nobody may come in with. */
async function badTokens(provider: PlayedIdentityProvider): Promise<string[]> {
  const now = Math.floor(Date.now() / 1_000);
  const stranger = { ...(await newProviderKey()), kid: provider.key.kid };
  const good = await provider.issue();
  const [header = "", claims = ""] = good.split(".");
  const secret = platformOf(env).settings.SIGNING_SECRET;
  return [
    ...(await Promise.all([
      provider.issue({ exp: now - 3_600 }),
      provider.issue({ exp: undefined }),
      provider.issue({ nbf: now + 3_600 }),
      provider.issue({ iss: "https://elsewhere.test" }),
      provider.issue({ iss: undefined }),
      provider.issue({ aud: "https://other-api.test" }),
      provider.issue({ aud: undefined }),
      provider.issue({ sub: undefined }),
      provider.issue({ sub: "" }),
      provider.issue({}, { key: stranger }),
      provider.issue({}, { header: { kid: "unknown" } }),
      signToken(secret, "lease", { job: "job_1", task: "t", lease: 1, ...goodClaims() }),
    ])),
    rawToken({ alg: "none" }, goodClaims()),
    rawToken({ alg: "none" }, goodClaims(), "AAAA"),
    rawToken({ alg: "HS256", kid: provider.key.kid }, goodClaims(), "AAAA"),
    flipLast(good),
    `${header}.${claims}.`,
    `${header}.${claims}`,
    good.replace(".", ".."),
  ];
}

/** The 401 of an operation, whatever is wrong with the credential. */
export function describeUnauthorized(operation: OperationId): void {
  const { method, path, headers, body } = requestOf(operation);
  const expectUnauthorized = async (authorization: string | null): Promise<void> => {
    const answer = await send(method, path, {
      headers: { ...headers, ...(authorization !== null && { authorization }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const what = `${authorization?.slice(0, 200)}`;
    expect([answer.status, answer.headers.get("www-authenticate")], what).toEqual([401, "Bearer"]);
    expect(answer.body, what).toEqual({
      error: "Unauthorized",
      message: expect.stringMatching(/\bkey\b.* missing or invalid/),
    });
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  };

  describe(`${operation} 401`, () => {
    it("refuses 60 shapes of a bad credential, each with the same body", async () => {
      const provider = await PlayedIdentityProvider.start();
      const { key } = await newClient();
      const credentials = [...badKeys(key), ...(await badTokens(provider))];
      const shapes = [
        ...badHeaders(key, await provider.issue()),
        ...credentials.map((credential) => `Bearer ${credential}`),
      ];
      expect(new Set(shapes).size).toBeGreaterThanOrEqual(60);
      for (const shape of shapes) await expectUnauthorized(shape);
    });

    it("refuses a revoked key on its very next use", async () => {
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
}
