import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { RequestRate } from "../../../src/stores/request-rate.ts";
import { platformOf } from "../../../src/platform.ts";
import { newClient, send } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("429", () => {
  it("answers an account that is over its rate, and says when to try again; other accounts go on", async () => {
    const [busy, calm] = [await newClient(), await newClient()];
    const use = () => env.RATE_LIMIT.limit({ key: busy.accountId });
    await Promise.all(Array.from({ length: 600 }, use));
    // A new minute may have begun meanwhile.
    while ((await use()).success);

    for (const [method, path] of [
      ["GET", "/v1/jobs"],
      ["POST", "/v1/jobs"],
      ["GET", "/v1/account"],
      ["POST", "/v1/billing/checkout"],
    ] as const) {
      const answer = await busy.send(method, path);
      expectError(answer, 429, "rate_limited");
      expect(answer.body.retryAfterSeconds).toBe(60);
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    expect((await calm.send("GET", "/v1/jobs")).status).toBe(200);
    expect((await send("GET", "/healthz")).status).toBe(200);
  }, 30_000);

  it("refuses nobody because the limiter does not answer, and tells the operator", async () => {
    const client = await newClient();
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    const { requestRate } = platformOf(env);
    vi.spyOn(requestRate, "admits").mockImplementation((id) =>
      new RequestRate({ limit: () => Promise.reject(new Error("no limiter")) }).admits(id),
    );
    expect((await client.send("GET", "/v1/jobs")).status).toBe(200);
    expect(logged.mock.calls.flat().join()).toContain("rate_unknown");
  });
});
