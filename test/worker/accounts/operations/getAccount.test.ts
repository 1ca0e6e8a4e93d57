import { describe, expect, it, vi } from "vitest";
import { Account } from "../../../../src/accounts/contract/account.ts";
import { newClient, send } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("getAccount 200", () => {
  it("answers with the account of the credential, each field present [2.8-1 4.8-1 2.8-2]", async () => {
    const client = await newClient();
    await newClient();
    const { status, body } = await client.send("GET", "/v1/account");
    expect(status).toBe(200);
    expect(Account.parse(body)).toEqual({
      accountId: client.accountId,
      email: `${client.accountId}@example.com`,
      emailVerified: true,
      image: null,
      name: client.accountId,
      status: "active",
    });
  });

  it("shows its owner's known data [2.8-1]", async () => {
    const client = await newClient();
    await home.DB.prepare(
      "UPDATE accounts SET name = 'Ada', email_verified = 1, image = 'https://pictures.test/ada.png'",
    ).run();
    expect((await client.send("GET", "/v1/account")).body).toMatchObject({
      name: "Ada",
      emailVerified: true,
      image: "https://pictures.test/ada.png",
    });
  });
});

describe("getAccount 401", () => {
  it("refuses an API key with a wrong checksum without a read of the database [4.9-14]", async () => {
    const { key } = await newClient();
    const prepare = vi.spyOn(home.DB, "prepare");
    const use = (secret: string) =>
      send("GET", "/v1/account", { headers: { authorization: `Bearer ${secret}` } });
    const wrong = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    expectError(await use(wrong), 401, "Unauthorized");
    expect(prepare).not.toHaveBeenCalled();
    expect((await use(key)).status).toBe(200);
    expect(prepare).toHaveBeenCalled();
  });
});
