import { beforeEach, describe, expect, it } from "vitest";
import { RevokedApiKey } from "../../../../src/accounts/contract/api-key.ts";
import { newKey } from "../../../support/worker/client/api-keys.ts";
import { type Client, newClient, send } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("revokeApiKey 200", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const revoke = (keyId: string) => client.send("DELETE", `/v1/api-keys/${keyId}`);
  const use = (secret: string) => send("GET", "/v1/jobs", { headers: { authorization: `Bearer ${secret}` } });

  it("revokes a key, which is refused on its very next use; the account's others stay [4.9-7 3.3-2 4.9-17]", async () => {
    const { apiKey, secret } = await newKey(client, "laptop");
    expect((await use(secret)).status).toBe(200);
    later(1_000);
    const { status, body } = await revoke(apiKey.keyId);
    expect(status).toBe(200);
    const { apiKey: revoked } = RevokedApiKey.parse(body);
    expect(revoked).toEqual({
      ...apiKey,
      revoked: true,
      revokedAt: revoked.updatedAt,
      updatedAt: expect.not.stringMatching(apiKey.updatedAt),
    });
    expectError(await use(secret), 401, "Unauthorized");
    expect((await use(client.key)).status).toBe(200);
  });

  it("answers for a key that is revoked already with its unchanged revokedAt [4.9-10]", async () => {
    const { apiKey } = await newKey(client, "laptop");
    const first = await revoke(apiKey.keyId);
    later(60_000);
    expect((await revoke(apiKey.keyId)).body).toEqual(first.body);
  });

  it("revokes the key in use, which is its last use [4.9-17]", async () => {
    const keyId = await home.DB.prepare("SELECT id FROM api_keys").first<string>("id");
    expect((await revoke(String(keyId))).status).toBe(200);
    expectError(await use(client.key), 401, "Unauthorized");
  });
});

describe("revokeApiKey 404", () => {
  it("answers a foreign, an unknown and a malformed keyId alike, byte for byte, and revokes nothing [4.9-11]", async () => {
    const client = await newClient();
    const { apiKey, secret } = await newKey(await newClient(), "theirs");
    const unknown = `key_${"0".repeat(32)}`;
    const ids = [apiKey.keyId, unknown, "key_1", "%00", "..%2f", "%27%20OR%201=1", "x".repeat(3_000)];
    const answers = await Promise.all(ids.map((id) => client.send("DELETE", `/v1/api-keys/${id}`)));
    for (const answer of answers) {
      expectError(answer, 404, "api_key_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
    expect(await home.DB.prepare("SELECT max(revoked_at) AS at FROM api_keys").first("at")).toBeNull();
    const { status } = await send("GET", "/v1/jobs", { headers: { authorization: `Bearer ${secret}` } });
    expect(status).toBe(200);
  });
});
