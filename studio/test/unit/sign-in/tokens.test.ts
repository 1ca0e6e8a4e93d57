import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { listen } from "../../../../scripts/shared/listen.ts";
import { Tokens } from "../../../src/sign-in/provider.ts";

describe("the tokens of a sign-in", () => {
  let issuer: string;
  let renewals = 0;
  let refusal: { readonly status: number; readonly body: string } | "none" | undefined;
  let life = 300;
  const provider = createServer((_, response) => {
    if (refusal === "none") return response.destroy();
    renewals++;
    const body = { access_token: `a${renewals}`, token_type: "bearer", refresh_token: "r", expires_in: life };
    response.writeHead(refusal?.status ?? 200, { "content-type": "application/json" });
    return response.end(refusal?.body ?? JSON.stringify(body));
  });
  beforeAll(async () => {
    issuer = await listen(provider);
  });
  afterAll(() => provider.close());
  afterEach(() => vi.useRealTimers());

  function tokens(seconds?: number): Tokens {
    [renewals, refusal] = [0, undefined];
    vi.useFakeTimers({ toFake: ["Date"] });
    const settings = { issuer, clientId: "studio", scope: "openid", parameters: {} };
    const answer = { access_token: "a0", token_type: "bearer" as const, refresh_token: "r0" };
    return new Tokens({ issuer, token_endpoint: `${issuer}/token` }, settings, {
      ...answer,
      ...(seconds !== undefined && { expires_in: seconds }),
    });
  }
  const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1_000);

  it.each([
    [10, 7.9, 0.2],
    [30, 23.9, 0.2],
    [60, 47.9, 0.2],
    [120, 95.9, 0.2],
    [300, 239.9, 0.2],
    [3_600, 3_539.9, 0.2],
    [undefined, 239.9, 0.2],
  ])("that live for %s s are renewed once, shortly before their end", async (seconds, before, more) => {
    const theirs = tokens(seconds);
    for (let i = 0; i < 20; i++) expect(await theirs.current()).toBe("a0");
    pass(before);
    expect(await theirs.current()).toBe("a0");
    pass(more);
    life = seconds ?? 300;
    for (let i = 0; i < 20; i++) expect(await theirs.current()).toBe("a1");
    expect(renewals).toBe(1);
  });

  it.each<[string, typeof refusal]>([
    ["429", { status: 429, body: '{"error":"too_many_requests"}' }],
    ["408", { status: 408, body: '{"error":"request_timeout"}' }],
    ["400 temporarily_unavailable", { status: 400, body: '{"error":"temporarily_unavailable"}' }],
    ["400 slow_down", { status: 400, body: '{"error":"slow_down"}' }],
    ["503", { status: 503, body: '{"error":"invalid_grant"}' }],
    ["a page in place of JSON", { status: 403, body: "<!doctype html>" }],
    ["a network that is lost", "none"],
  ])("are renewed later after %s", async (_, passing) => {
    const theirs = tokens(300);
    pass(250);
    refusal = passing;
    expect(await theirs.current()).toBe("a0");
    refusal = undefined;
    expect(await theirs.current()).toMatch(/^a[12]$/);
  });

  it.each(["invalid_grant", "invalid_client", "unauthorized_client"])("are not after %s", async (error) => {
    const theirs = tokens(300);
    pass(250);
    refusal = { status: 400, body: JSON.stringify({ error }) };
    expect(await theirs.current()).toBe("a0");
    refusal = undefined;
    expect(await theirs.current()).toBe("a0");
    expect(renewals).toBe(1);
  });
});
