import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { newClient, send } from "../../support/worker/api.ts";
import { describeUnauthorized } from "../../support/worker/bad-credentials.ts";
import { expectError } from "../../support/worker/wire.ts";

describeUnauthorized("getAccount");

it("refuses an API key with a wrong checksum without a read of the database", async () => {
  const { key } = await newClient();
  const prepare = vi.spyOn(env.DB, "prepare");
  const use = (secret: string) =>
    send("GET", "/v1/account", { headers: { authorization: `Bearer ${secret}` } });
  const wrong = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  expectError(await use(wrong), 401, "Unauthorized");
  expect(prepare).not.toHaveBeenCalled();
  expect((await use(key)).status).toBe(200);
  expect(prepare).toHaveBeenCalled();
});
