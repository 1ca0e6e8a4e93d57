import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { generateApiKey } from "../../../src/accounts/rules/api-key.ts";
import { RequestRate } from "../../../src/shared/api/request-rate.ts";
import { newClient, send, type Client } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** An account that has sent all the requests of its minute. */
async function busyClient(): Promise<Client> {
  const client = await newClient();
  const use = () => env.RATE_LIMIT.limit({ key: client.accountId });
  await Promise.all(Array.from({ length: 600 }, use));
  // A new minute may have begun meanwhile.
  while ((await use()).success);
  return client;
}

describe("429", () => {
  it("answers an account that is over its rate, on every operation, and says when to try again [8-14]", async () => {
    const busy = await busyClient();
    for (const operation of OPERATION_IDS) {
      const { method, path, headers, body } = requestOf(operation);
      const answer = await busy.send(method, path, body, headers);
      expectError(answer, 429, "rate_limited", operation);
      expect(answer.body.retryAfterSeconds, operation).toBe(60);
      expect(answer.headers.get("retry-after"), operation).toBe("60");
    }
  });

  it("does not affect other accounts, or requests for anything but the API", async () => {
    await busyClient();
    const calm = await newClient();
    expect((await calm.send("GET", "/v1/jobs")).status).toBe(200);
    expect((await send("GET", "/healthz")).status).toBe(200);
  });

  it("is logged once a minute for each account and each address, with how often it was", async () => {
    const { requestRate, addressRate } = home.platform;
    for (const rate of [requestRate, addressRate]) vi.spyOn(rate, "admits").mockResolvedValue(false);
    const [client, other] = [await newClient(), await newClient()];
    const lines = logged();
    const ask = () => client.send("GET", "/v1/jobs");
    for (let i = 0; i < 4; i += 1) await ask();
    for (let i = 0; i < 3; i += 1) {
      const headers = { authorization: `Bearer ${generateApiKey()}`, "cf-connecting-ip": "203.0.113.7" };
      await send("GET", "/v1/jobs", { headers });
    }
    await other.send("GET", "/v1/jobs");
    later(60_000);
    await ask();
    await ask();
    expect(lines().filter(({ event }) => event === "rate_exceeded")).toMatchObject([
      { account: client.accountId, times: 1 },
      { address: "203.0.113.7", times: 1 },
      { account: other.accountId, times: 1 },
      { account: client.accountId, times: 4 },
    ]);
  });

  it("refuses no request when the limiter does not answer, and alerts the operator", async () => {
    const client = await newClient();
    const lines = logged();
    const { requestRate } = home.platform;
    vi.spyOn(requestRate, "admits").mockImplementation((id) =>
      new RequestRate({ limit: () => Promise.reject(new Error("no limiter")) }).admits(id),
    );
    expect((await client.send("GET", "/v1/jobs")).status).toBe(200);
    expect(lines().map(({ event }) => event)).toContain("rate_unknown");
  });
});
