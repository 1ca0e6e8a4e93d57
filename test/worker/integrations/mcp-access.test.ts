import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { AUDIENCE, ISSUER, FakeIdentityProvider } from "../../support/worker/client/access-tokens.ts";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
  send,
} from "../../support/worker/client/api.ts";
import { finishNextJob, rectangle } from "../../support/worker/fixtures/bridges.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { FakeInference } from "../../support/worker/fakes/inference.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { HEADERS, Found, IMAGE, call, connect, LIST } from "../../support/worker/client/mcp.ts";
import { isLong } from "../../support/worker/client/random.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

/** Sends a message unchanged. */
const post = async (body: string, headers: Record<string, string> = {}): Promise<Answer> => {
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${client.key}`, ...HEADERS, ...headers },
    body,
  };
  return answerOf(await fetchWorker(new Request("https://api.test/mcp", init)));
};

describe("access to it", () => {
  const METADATA = "/.well-known/oauth-protected-resource";

  it("is told where to sign in by a 401, as RFC 9728 has it [A20-4]", async () => {
    const answer = await send("POST", "/mcp", { headers: HEADERS, body: JSON.stringify(LIST) });
    expectError(answer, 401, "Unauthorized");
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="https://api.test${METADATA}/mcp"`,
    );
    for (const path of [METADATA, `${METADATA}/mcp`]) {
      const metadata = await send("GET", path, { headers: { origin: "https://inspector.test" } });
      expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
      expect(metadata.body).toMatchObject({ resource: AUDIENCE, authorization_servers: [ISSUER] });
    }
  });

  it("is also found with a slash at its end [A20-4]", async () => {
    const answer = await send("POST", "/mcp/", { headers: HEADERS, body: JSON.stringify(LIST) });
    expectError(answer, 401, "Unauthorized");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const where = /resource_metadata="(.*)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    const { pathname } = new URL(where);
    expect((await send("GET", `${pathname}/`)).body).toEqual((await send("GET", pathname)).body);
    const headers = { ...HEADERS, authorization: `Bearer ${client.key}` };
    expect((await send("POST", "/mcp/", { headers, body: JSON.stringify(LIST) })).status).toBe(200);
    expectError(await send("GET", "/mcp/", { headers }), 405, "method_not_allowed");
  });

  it("names its own address as the resource if the audience is no address above it", async () => {
    const resourceFor = async (audience: string) => {
      overrideSettings({ OIDC_AUDIENCE: audience });
      return (await send("GET", METADATA)).body.resource;
    };
    expect(await resourceFor("https://elsewhere.test")).toBe("https://api.test/mcp");
    expect(await resourceFor("the-api")).toBe("https://api.test/mcp");
    expect(await resourceFor("https://api.test/mcp")).toBe("https://api.test/mcp");
    expect(await resourceFor("https://api.test/")).toBe("https://api.test/");
  });

  it("is granted for an access token of this audience, and of no other [A20-4]", async () => {
    const provider = await FakeIdentityProvider.start();
    const agent = await connect(await provider.issue());
    expect((await call(agent, "list_jobs")).structuredContent).toMatchObject({ items: [] });
    const foreign = await provider.issue({ aud: "https://another.test/mcp" });
    expectError(
      await post(JSON.stringify(LIST), { authorization: `Bearer ${foreign}` }),
      401,
      "Unauthorized",
    );
  });

  it("is refused for pages of another origin [A20-4]", async () => {
    for (const origin of ["https://evil.test", "null", "http://api.test"])
      expectError(await post(JSON.stringify(LIST), { origin }), 403, "origin_forbidden");
    expect((await post(JSON.stringify(LIST), { origin: "https://api.test" })).status).toBe(200);
  });

  it("is off if the operator disabled it, and has no metadata without a provider [A20-6]", async () => {
    overrideSettings({ OIDC_ISSUER: undefined });
    expectError(await send("GET", METADATA), 404, "not_found");
    const { headers } = await send("POST", "/mcp");
    expect(headers.get("www-authenticate")).toBe("Bearer");
    overrideSettings({ MCP: false });
    for (const path of ["/mcp", METADATA]) expectError(await send("GET", path), 404, "not_found");
    expectError(await post(JSON.stringify(LIST)), 404, "not_found");
  });
});

describe("a hostile client", () => {
  it("is refused an oversized body before it is read, a batch, and malformed JSON [A20-5]", async () => {
    const large = JSON.stringify({ ...LIST, params: { cursor: "x".repeat(7_000_000) } });
    expectError(await post(large), 400, "body_too_large");
    expectError(await post(JSON.stringify([LIST, LIST])), 400, "invalid_request");
    expectError(await post('"text"'), 400, "invalid_request");
    expectError(await post("{"), 400, "invalid_json");
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const nested = await post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"usage","arguments":${deep}}}`,
    );
    expect(nested.status).toBeLessThan(500);
  });

  it.runIf(isLong)(
    "asks for the tools without end, and is bounded by its account's rate [A20-5]",
    async () => {
      const use = () => env.RATE_LIMIT.limit({ key: client.accountId });
      await Promise.all(Array.from({ length: 580 }, use));
      let refused: Answer[] = [];
      // More than once only where a new minute begins meanwhile.
      for (let i = 0; i < 25 && refused.length < 40; i += 1) {
        const answers = await Promise.all(Array.from({ length: 60 }, () => post(JSON.stringify(LIST))));
        refused = answers.filter(({ status }) => status !== 200);
      }
      expect(refused.length).toBeGreaterThanOrEqual(40);
      for (const answer of refused) expectError(answer, 429, "rate_limited");
    },
  );

  it("pays for each request that a tool makes", async () => {
    const agent = await connect(client.key);
    const admits = vi.spyOn(home.platform.requestRate, "admits");
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    await finishNextJob(new FakeInference(), client, [rectangle(1, 1, 2, 2)]);
    const { structuredContent } = await found;
    // The call, the upload, the job and its result; the test makes two requests.
    expect(admits.mock.calls.filter(([key]) => key === client.accountId).length).toBeGreaterThanOrEqual(6);
    const { taskId } = Found.parse(structuredContent);
    expect(await env.MEDIA.head(inputKey(client.accountId, taskId))).not.toBeNull();
  });

  it("opens no lasting stream [A20-5]", async () => {
    expectError(
      await send("GET", "/mcp", { headers: { ...HEADERS, authorization: `Bearer ${client.key}` } }),
      405,
      "method_not_allowed",
    );
    const agent = await connect(client.key);
    await expect(agent.listen({ toolsListChanged: true })).rejects.toThrow(/limit/);
  });
});
