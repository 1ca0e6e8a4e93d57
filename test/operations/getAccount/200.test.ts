import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Account } from "../../../src/contract/account.ts";
import { newClient } from "../../support/worker/api.ts";

describe("getAccount 200", () => {
  it("answers with the account of the credential, each field present", async () => {
    const client = await newClient();
    await newClient();
    const { status, body } = await client.send("GET", "/v1/account");
    expect(status).toBe(200);
    expect(Account.parse(body)).toEqual({
      accountId: client.accountId,
      email: `${client.accountId}@example.com`,
      emailVerified: false,
      image: null,
      name: null,
      status: "active",
    });
  });

  it("shows what is known of its person", async () => {
    const client = await newClient();
    await env.DB.prepare(
      "UPDATE accounts SET name = 'Ada', email_verified = 1, image = 'https://pictures.test/ada.png'",
    ).run();
    expect((await client.send("GET", "/v1/account")).body).toMatchObject({
      name: "Ada",
      emailVerified: true,
      image: "https://pictures.test/ada.png",
    });
  });
});
