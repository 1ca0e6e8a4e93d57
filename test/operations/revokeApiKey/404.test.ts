import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newClient, send } from "../../support/worker/api.ts";
import { newKey } from "../../support/worker/api-keys.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("revokeApiKey 404", () => {
  it("answers a foreign, an unknown and a malformed keyId alike, byte for byte, and revokes nothing", async () => {
    const client = await newClient();
    const { apiKey, secret } = await newKey(await newClient(), "theirs");
    const unknown = `key_${"0".repeat(32)}`;
    const ids = [apiKey.keyId, unknown, "key_1", "%00", "..%2f", "%27%20OR%201=1", "x".repeat(3_000)];
    const answers = await Promise.all(ids.map((id) => client.send("DELETE", `/v1/api-keys/${id}`)));
    for (const answer of answers) {
      expectError(answer, 404, "api_key_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
    expect(await env.DB.prepare("SELECT max(revoked_at) AS at FROM api_keys").first("at")).toBeNull();
    const { status } = await send("GET", "/v1/jobs", { headers: { authorization: `Bearer ${secret}` } });
    expect(status).toBe(200);
  });
});
