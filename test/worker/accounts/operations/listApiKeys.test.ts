import { beforeEach, describe, expect, it } from "vitest";
import { ApiKeyList } from "../../../../src/accounts/contract/api-key.ts";
import { newKey } from "../../../support/worker/client/api-keys.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";

describe("listApiKeys 200", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const list = async () => {
    const { status, body } = await client.send("GET", "/v1/api-keys");
    expect(status).toBe(200);
    return ApiKeyList.parse(body).items;
  };

  it("lists each key's public fields, newest first, revoked ones too [4.9-1]", async () => {
    const made = [await newKey(client, "one"), await newKey(client, "two"), await newKey(client, "three")];
    const [, two] = made;
    await client.send("DELETE", `/v1/api-keys/${two?.apiKey.keyId}`);
    const items = await list();
    expect(items.map((item) => [item.label, item.revoked])).toEqual([
      ["three", false],
      ["two", true],
      ["one", false],
      ["test", false],
    ]);
    expect(items[0]).toEqual(made[2]?.apiKey);
    expect(items[1]?.revokedAt).not.toBeNull();
  });

  it("never shows a secret or its digest [2.7-2]", async () => {
    const { secret } = await newKey(client, "one");
    const { body } = await client.send("GET", "/v1/api-keys");
    const digests = await home.DB.prepare("SELECT digest FROM api_keys").all<{ digest: string }>();
    for (const text of [client.key, secret, ...digests.results.map((row) => row.digest)]) {
      expect(JSON.stringify(body)).not.toContain(text);
    }
  });

  it("never lists another account's keys [4.9-1]", async () => {
    await newKey(await newClient(), "theirs");
    expect((await list()).map((item) => item.label)).toEqual(["test"]);
  });
});
