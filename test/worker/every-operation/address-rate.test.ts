import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import { generateApiKey } from "../../../src/accounts/rules/api-key.ts";
import { issueLeaseToken } from "../../../src/jobs/rules/lease.ts";
import { RequestRate } from "../../../src/shared/api/request-rate.ts";
import { service } from "../../support/secrets.ts";
import { FakeIdentityProvider, rawToken } from "../../support/worker/client/access-tokens.ts";
import { newClient, send, type Answer } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** The rate of ADDRESS_RATE_LIMIT in wrangler.toml. */
const RATE = 300;
const MINUTE_MS = 60_000;

let addresses = 0;
/** An address that no test has used. */
function newAddress(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

const use = (credential: string, address: string | null): Promise<Answer> =>
  send("GET", "/v1/api-keys", {
    headers: {
      authorization: `Bearer ${credential}`,
      ...(address !== null && { "cf-connecting-ip": address }),
    },
  });

/** Counts the statements that the Worker prepares from now on, for any database. */
const countReads = () => vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");

/** The reads that an invalid credential costs: with several databases, the directory is one of them. */
const readsOfOne = () => Math.min(2, home.platform.databases.length);

/** Sends a thousand credentials from an address. Returns the number refused by their rate, and their maximum cost. */
async function flood(
  address: string,
  credential: () => string | Promise<string>,
): Promise<{ limited: Answer[]; most: number }> {
  const begun = Date.now();
  const answers: Answer[] = [];
  for (let i = 0; i < 20; i += 1) {
    const some = Array.from({ length: 50 }, async () => use(await credential(), address));
    answers.push(...(await Promise.all(some)));
  }
  // The local limiter's minutes are the clock's.
  const minutes = Math.floor(Date.now() / MINUTE_MS) - Math.floor(begun / MINUTE_MS) + 1;
  const limited = answers.filter(({ status }) => status === 429);
  expect(answers.length - limited.length).toBe(answers.filter(({ status }) => status === 401).length);
  return { limited, most: minutes * RATE };
}

describe("a flood of made-up credentials", () => {
  it("costs at most the rate of its address in reads, and learns when to retry [8-15]", async () => {
    const reads = countReads();
    const { limited, most } = await flood(newAddress(), generateApiKey);
    expect(reads.mock.calls.length).toBeLessThanOrEqual(most * readsOfOne());
    expect(limited.length).toBeGreaterThanOrEqual(1_000 - most);
    for (const answer of limited) {
      expectError(answer, 429, "rate_limited");
      expect(answer.body.message).toContain("network address");
      expect(answer.headers.get("retry-after")).toBe("60");
    }
  });

  it.runIf(isLong)(
    "costs no more if they are forged access tokens, which take the processor too",
    async () => {
      const provider = await FakeIdentityProvider.start();
      const { identityProvider } = home.platform;
      if (identityProvider === null) throw new Error("there is no identity provider");
      const verify = vi.spyOn(identityProvider, "verify");
      const header = { alg: "ES256", kid: provider.key.kid };
      const { most } = await flood(newAddress(), () =>
        rawToken(header, { sub: crypto.randomUUID() }, "A".repeat(86)),
      );
      expect(verify.mock.calls.length).toBeLessThanOrEqual(most);
    },
  );

  it("gets 429 above the rate for any error; a request without a credential is not counted [8-15]", async () => {
    const [address, refused] = [newAddress(), generateApiKey()];
    const sendAs = async (headers: Record<string, string>): Promise<number> =>
      (await send("GET", "/v1/api-keys", { headers: { ...headers, "cf-connecting-ip": address } })).status;
    expect(await sendAs({ authorization: `Bearer ${refused}` })).toBe(401);
    while ((await env.ADDRESS_RATE_LIMIT.limit({ key: address })).success);
    for (const authorization of [
      "Bearer sk_live_1",
      "Bearer a.b.c",
      `Bearer ${refused}`,
      "Token 1",
      `Bearer ${"x".repeat(20_000)}`,
    ])
      expect(await sendAs({ authorization }), authorization.slice(0, 100)).toBe(429);
    expect(await sendAs({ "x-api-key": "sk_live_1" })).toBe(429);
    expect(await sendAs({})).toBe(401);
    const wrong = { authorization: "Basic 1", "cf-connecting-ip": address };
    expect((await send("GET", "/api/functions", { headers: wrong })).status).toBe(429);
  });

  it.runIf(isLong)("comes from one address for any address of its IPv6 network", async () => {
    const reads = countReads();
    let host = 0;
    const begun = Date.now();
    for (let i = 0; i < 14; i += 1) {
      await Promise.all(
        Array.from({ length: 50 }, () => {
          host += 1;
          return use(generateApiKey(), `2001:db8::${host.toString(16)}:1`);
        }),
      );
    }
    const minutes = Math.floor(Date.now() / MINUTE_MS) - Math.floor(begun / MINUTE_MS) + 1;
    expect(reads.mock.calls.length).toBeLessThanOrEqual(minutes * RATE * readsOfOne());
  });

  it.runIf(isLong)(
    "stops no other client: neither other addresses, nor known credentials at the same one [8-15]",
    async () => {
      const provider = await FakeIdentityProvider.start();
      const [address, client, token] = [newAddress(), await newClient(), await provider.issue()];
      expect((await use(client.key, address)).status).toBe(200);
      expect((await use(token, address)).status).toBe(200);
      const stranger = await newClient();
      await flood(address, generateApiKey);
      while ((await env.ADDRESS_RATE_LIMIT.limit({ key: address })).success);
      expect((await use(client.key, address)).status).toBe(200);
      expect((await use(token, address)).status).toBe(200);
      expect((await use(stranger.key, newAddress())).status).toBe(200);
      // Now this isolate has seen it.
      expect((await use(stranger.key, address)).status).toBe(200);
    },
  );

  it("is let through if the limiter does not answer, or the address is not known", async () => {
    const client = await newClient();
    expect((await use(client.key, null)).status).toBe(200);
    expect((await use((await newClient()).key, "unknown")).status).toBe(200);
    const { addressRate } = home.platform;
    vi.spyOn(addressRate, "admits").mockImplementation((key) =>
      new RequestRate({ limit: () => Promise.reject(new Error("no limiter")) }).admits(key),
    );
    expect((await use((await newClient()).key, newAddress())).status).toBe(200);
  });
});

describe("a wrong credential", () => {
  it("costs one read in ten seconds, for any number of requests", async () => {
    const [key, reads] = [generateApiKey(), countReads()];
    for (let i = 0; i < 5; i += 1) expectError(await use(key, newAddress()), 401, "Unauthorized");
    expect(reads).toHaveBeenCalledTimes(readsOfOne());
    later(10_000);
    expectError(await use(key, newAddress()), 401, "Unauthorized");
    expect(reads).toHaveBeenCalledTimes(2 * readsOfOne());
  });

  it("that was good is refused at its very next use, and then costs no more than any other", async () => {
    const [client, address] = [await newClient(), newAddress()];
    expect((await use(client.key, address)).status).toBe(200);
    await home.DB.prepare("UPDATE api_keys SET revoked_at = 1").run();
    const reads = countReads();
    for (let i = 0; i < 5; i += 1) expectError(await use(client.key, address), 401, "Unauthorized");
    expect(reads).toHaveBeenCalledTimes(readsOfOne());
  });

  it("of a resumed account works within ten seconds", async () => {
    const client = await newClient();
    await home.DB.prepare("UPDATE accounts SET status = 'suspended'").run();
    expectError(await use(client.key, null), 401, "Unauthorized");
    await home.DB.prepare("UPDATE accounts SET status = 'active'").run();
    later(10_000);
    expect((await use(client.key, null)).status).toBe(200);
  });
});

describe("a good credential", () => {
  it("costs no read while its account is over its rate", async () => {
    const client = await newClient();
    expect((await use(client.key, null)).status).toBe(200);
    while ((await env.RATE_LIMIT.limit({ key: client.accountId })).success);
    const reads = countReads();
    for (let i = 0; i < 5; i += 1) expectError(await use(client.key, null), 429, "rate_limited");
    expect(reads).not.toHaveBeenCalled();
  });
});

describe("a forged call", () => {
  it("of the payment provider or of the inference service costs no read", async () => {
    const [prepare, batch] = [countReads(), vi.spyOn(home.DB, "batch")];
    const forged = await issueLeaseToken(
      service("not the service's secret at all"),
      { job: "job_1", task: "t.png", lease: 1 },
      Date.now() + MINUTE_MS,
    );
    for (const callback of ["outputs", "progress", "complete"]) {
      const answer = await send("POST", `/internal/leases/${callback}`, {
        headers: { authorization: `Bearer ${forged}`, "content-type": "application/json" },
        body: "{}",
      });
      expectError(answer, 401, "Unauthorized");
    }
    const event = await send("POST", "/webhooks/stripe", {
      headers: { "stripe-signature": `t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}` },
      body: JSON.stringify({ id: "evt_1", type: "customer.deleted", data: { object: {} } }),
    });
    expectError(event, 400, "invalid_signature");
    expect(prepare).not.toHaveBeenCalled();
    expect(batch).not.toHaveBeenCalled();
  });
});
