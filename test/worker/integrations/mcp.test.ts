import {
  type CallToolResult,
  Client as Agent,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { AUDIENCE, ISSUER, PlayedIdentityProvider } from "../../support/worker/client/access-tokens.ts";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
  send,
} from "../../support/worker/client/api.ts";
import { deliverArchive } from "../../support/worker/fixtures/archives.ts";
import { finishNextJob, rectangle, SIZE } from "../../support/worker/fixtures/bridges.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { playedElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { callBack, deliverTask, failure, PlayedInference } from "../../support/worker/fakes/inference.ts";
import { MP4, newJob, newVideoJob, PNG, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectWaiters } from "../../support/worker/fixtures/waiters.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const TOOLS = {
  segment: { readOnlyHint: false, destructiveHint: false },
  get_job: { readOnlyHint: true },
  list_jobs: { readOnlyHint: true },
  get_masks: { readOnlyHint: true },
  export: { readOnlyHint: false, destructiveHint: false },
  cancel_job: { readOnlyHint: false, destructiveHint: true },
  create_upload: { readOnlyHint: false, destructiveHint: false },
  describe_model: { readOnlyHint: true },
  usage: { readOnlyHint: true },
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const Found = z.object({
  taskId: z.string(),
  objects: z.array(z.object({ index: z.int() })),
  nextFrom: z.int().nullable(),
});
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const IMAGE = { base64: btoa(String.fromCharCode(...PNG)), mimeType: "image/png" };

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
type Revision = (typeof REVISIONS)[number];

/** The official client, connected to the Worker with a credential. */
async function connect(credential = client.key, revision: Revision = "2026-07-28"): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL("https://api.test/mcp"), {
    fetch: (url, init) => fetchWorker(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${credential}` } },
  });
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const agent = new Agent(
    { name: "a test", version: "1" },
    { supportedProtocolVersions: [revision], versionNegotiation: { mode } },
  );
  await agent.connect(transport);
  return agent;
}

const call = (agent: Agent, name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
  agent.callTool({ name, arguments: args });

/** Sends a message as it is. */
const post = async (body: string, headers: Record<string, string> = {}): Promise<Answer> => {
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${client.key}`, ...HEADERS, ...headers },
    body,
  };
  return answerOf(await fetchWorker(new Request("https://api.test/mcp", init)));
};

/** What a tool says of an error. */
const complaintOf = ({ isError, content: [first] }: CallToolResult): string => {
  expect(isError).toBe(true);
  return first?.type === "text" ? first.text : "";
};

describe.each(REVISIONS)("the MCP server, for a client of %s", (revision) => {
  it("lists its tools, each with schemas, hints and what it costs [A20-2]", async () => {
    const agent = await connect(client.key, revision);
    expect(agent.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await agent.listTools();
    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toMatchObject(
      TOOLS,
    );
    expect(tools).toHaveLength(Object.keys(TOOLS).length);
    for (const { name, description, inputSchema, outputSchema } of tools) {
      expect(description, name).toMatch(/\bCosts one unit\b|\bFree\./);
      expect([inputSchema.type, outputSchema?.type], name).toEqual(["object", "object"]);
    }
  });

  it("finds what words name, draws what is pointed at in the same upload, and exports the job [A20-1]", async () => {
    const agent = await connect(client.key, revision);
    const inference = new PlayedInference();
    const [spoon, saucer] = [rectangle(3, 4, 10, 5), rectangle(20, 10, 8, 8)];
    const found = call(agent, "segment", { image: IMAGE, prompts: ["spoon"], threshold: 0.3 });
    const jobId = await finishNextJob(inference, client, [spoon]);
    expect(inference.last).toMatchObject({ prompts: ["spoon"], threshold: 0.3 });
    const { structuredContent, content } = await found;
    expect(structuredContent).toMatchObject({
      jobId,
      status: "success",
      error: null,
      ...SIZE,
      nextFrom: null,
      objects: [{ index: 0, prompt: "spoon", confidence: 0.9, box: [3, 4, 10, 5], area: 50 }],
    });
    expect(content).toEqual([
      { type: "image", data: btoa("a preview"), mimeType: "image/png" },
      { type: "text", text: JSON.stringify(structuredContent) },
    ]);

    const { taskId } = Found.parse(structuredContent);
    const points = [{ x: 24, y: 14, label: 1 }];
    const drawn = call(agent, "segment", { image: { taskId }, points, box: [20, 10, 8, 8] });
    const second = await finishNextJob(inference, client, [
      { ...saucer, regionIndex: 0 },
      { ...saucer, regionIndex: 1 },
    ]);
    expect((await drawn).structuredContent).toMatchObject({
      taskId,
      objects: [{ region: 0 }, { region: 1 }],
    });
    expect(inference.last).toMatchObject({
      regions: [{ points }, { box: { x: 20, y: 10, width: 8, height: 8 } }],
    });

    const as = (form: string) => call(agent, "get_masks", { jobId: second, as: form });
    expect((await as("rle")).structuredContent).toMatchObject({ objects: [{ rle: saucer.rle }, {}] });
    expect((await as("polygons")).structuredContent).toMatchObject({
      objects: [{ polygons: [[20, 10, 28, 10, 28, 18, 20, 18]] }, {}],
    });
    expect((await as("links")).structuredContent).toMatchObject({
      objects: [{ maskUrl: expect.stringContaining(`/${taskId}/`) }, {}],
    });

    const exported = call(agent, "export", { jobId });
    await vi.waitFor(async () => {
      await deliverArchive(jobId);
      const { body } = await client.send("GET", `/v1/jobs/${jobId}/download`);
      expect(body.status).toBe("ready");
    });
    expect((await exported).structuredContent).toMatchObject({ jobId, status: "ready" });
  });

  it("reports how far a job is to a client that wants to hear it [A20-3]", async () => {
    const agent = await connect(client.key, revision);
    const { jobId, taskId } = await newVideoJob(client);
    const inference = new PlayedInference();
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "progress", { done: 30, total: 100 });
    const heard: number[] = [];
    const waiting = agent.callTool(
      { name: "get_job", arguments: { jobId } },
      { onprogress: ({ progress }) => void heard.push(progress) },
    );
    await expectWaiters(jobId, { waits: 1, streams: 0 });
    later(2_000);
    await callBack(inference.last, "progress", { done: 30, total: 100 });
    await vi.waitFor(() => expect(heard).toEqual([0.3]), PATIENT);
    await call(agent, "cancel_job", { jobId });
    expect((await waiting).structuredContent).toMatchObject({ jobId, status: "failed" });
  });

  it("answers with an error of the API as a result: its code, and its sentence [A20-2]", async () => {
    const agent = await connect(client.key, revision);
    const { jobId } = await newJob(await newClient());
    for (const [tool, args] of [
      ["get_job", {}],
      ["get_masks", {}],
      ["export", {}],
      ["cancel_job", {}],
    ] as const)
      expect(complaintOf(await call(agent, tool, { jobId, ...args })), tool).toMatch(
        /^job_not_found: This account has no job/,
      );
    const foreign = await uploaded(await newClient());
    const refused = await call(agent, "segment", { image: { taskId: foreign }, prompts: ["cat"] });
    expect(complaintOf(refused)).toMatch(/^task_not_owned: A taskId is not an upload of this account/);
    expect(complaintOf(await call(agent, "list_jobs", { nextToken: "made up" }))).toMatch(
      /^invalid_cursor: /,
    );
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([]);
  });
});

describe("a tool", () => {
  it("of each kind answers as its operation does", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      playedElsewhere(new Request(input, init)),
    );
    const agent = await connect();
    const { jobId } = await newJob(client);
    const answerTo = async (name: string, args = {}) => (await call(agent, name, args)).structuredContent;
    const get = async (path: string) => (await client.send("GET", path)).body;
    expect(await answerTo("get_job", { jobId, waitSeconds: 0 })).toEqual({
      ...(await get(`/v1/jobs/${jobId}`)),
      progress: 0,
    });
    expect(await answerTo("list_jobs", { limit: 1, status: "queued" })).toEqual(
      await get("/v1/jobs?limit=1"),
    );
    expect(await answerTo("describe_model")).toEqual(await get("/v1/model"));
    expect(await answerTo("usage")).toEqual({
      ...(await get("/v1/account/overview")),
      ...(await get("/v1/account/usage")),
    });
    const upload = await answerTo("create_upload", { contentType: "image/png", size: 12 });
    expect(upload).toMatchObject({ uploadUrl: expect.stringContaining("https://s3.test/") });
  });

  it("takes a clip by its bytes' type, and answers with counts and a link", async () => {
    const agent = await connect();
    const taskId = await uploaded(client, MP4, "video/mp4");
    const found = call(agent, "segment", { image: { taskId }, prompts: ["cat"] });
    const jobId = await finishNextJob(new PlayedInference(), client, {
      outcome: "success",
      output: {
        type: "video",
        units: 7,
        generatedAt: "2026-01-02T03:04:05.678Z",
        framesWithMasks: 5,
        totalMasks: 9,
        masks: "masks.json",
        preview: null,
        notice: null,
      },
    });
    expect((await found).structuredContent).toMatchObject({
      jobId,
      objects: [],
      clip: { framesProcessed: 7, framesWithMasks: 5, totalMasks: 9 },
    });
  });

  it("says why a job failed", async () => {
    const agent = await connect();
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    await finishNextJob(new PlayedInference(), client, failure(false));
    expect((await found).structuredContent).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/not a picture|not_an_image/),
      objects: [],
    });
  });

  it("stores a picture that comes again once, and again if its upload is gone", async () => {
    const agent = await connect();
    const inference = new PlayedInference();
    const taskOf = async (x: number) => {
      const found = call(agent, "segment", { image: IMAGE, points: [{ x, y: 1, label: 1 }] });
      await finishNextJob(inference, client, [{ ...rectangle(0, 0, 2, 2), regionIndex: 0 }]);
      return Found.parse((await found).structuredContent).taskId;
    };
    const taskId = await taskOf(1);
    expect(await taskOf(2)).toBe(taskId);
    expect((await client.send("DELETE", `/v1/uploads/${taskId}`)).status).toBe(204);
    expect(await taskOf(1)).not.toBe(taskId);
  });

  it("takes a picture as a data: URL, and its URL or taskId as a text", async () => {
    const agent = await connect();
    const inference = new PlayedInference();
    const played = vi.mocked(globalThis.fetch).getMockImplementation();
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) =>
      new Request(input, init).url.startsWith("https://pictures.test/")
        ? new Response(PNG, { headers: { "content-length": String(PNG.length) } })
        : ((await played?.(input, init)) ?? Response.error()),
    );
    const dataUrl = `data:image/png;base64,${IMAGE.base64}`;
    const own = await uploaded(client);
    const pictures = [dataUrl, { ...IMAGE, base64: dataUrl }, "https://pictures.test/a.png", own];
    for (const [i, image] of pictures.entries()) {
      const found = call(agent, "segment", { image, prompts: [`cat ${i}`] });
      await finishNextJob(inference, client, [rectangle(0, 0, 2, 2)]);
      const { taskId } = Found.parse((await found).structuredContent);
      const stored = await env.MEDIA.get(inputKey(client.accountId, taskId));
      if (image !== own) expect(await stored?.bytes()).toEqual(Uint8Array.from(PNG));
    }
    for (const image of [
      "http://pictures.test/a.png",
      "/home/me/a.png",
      "x".repeat(20_000),
      5,
      { base64: 5 },
    ])
      expect(complaintOf(await call(agent, "segment", { image, prompts: ["cat"] }))).toMatch(/https/);
  });

  it("gives many objects over several answers", async () => {
    const agent = await connect();
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    const jobId = await finishNextJob(
      new PlayedInference(),
      client,
      Array.from({ length: 60 }, (_, i) => rectangle(i % 30, 0, 2, 2)),
    );
    const indices: number[] = [];
    let page = Found.parse((await found).structuredContent);
    for (;;) {
      expect(page.objects.length).toBeLessThanOrEqual(25);
      indices.push(...page.objects.map(({ index }) => index));
      if (page.nextFrom === null) break;
      page = Found.parse((await call(agent, "get_masks", { jobId, from: page.nextFrom })).structuredContent);
    }
    expect(indices).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it("refuses arguments that its schema does not have, before anything is stored", async () => {
    const agent = await connect();
    for (const args of [
      {},
      { image: IMAGE },
      { image: IMAGE, prompts: [] },
      { image: IMAGE, prompts: ["cat"], maskThreshold: 1 },
      { image: { ...IMAGE, base64: "%%%" }, prompts: ["cat"] },
      { image: { base64: btoa("text"), mimeType: "image/png" }, prompts: ["cat"] },
      { image: { url: "http://10.0.0.1/a.png" }, prompts: ["cat"] },
      { image: IMAGE, points: Array.from({ length: 21 }, () => ({ x: 1, y: 1, label: 1 })) },
      { image: IMAGE, prompts: Array.from({ length: 33 }, (_, i) => `word ${i}`) },
    ])
      expect(complaintOf(await call(agent, "segment", args)), JSON.stringify(args)).toMatch(/\w+/);
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([]);
    const refused = { image: IMAGE, prompts: ["cat"], maskThreshold: 1 };
    const before = await env.MEDIA.list({ prefix: inputKey(client.accountId, "") });
    const other = { ...IMAGE, base64: btoa(String.fromCharCode(...PNG, 1)) };
    await call(agent, "segment", { ...refused, image: other });
    const after = await env.MEDIA.list({ prefix: inputKey(client.accountId, "") });
    expect(after.objects).toEqual(before.objects);
  });

  it("says no more of an unforeseen failure than the API does", async () => {
    const agent = await connect();
    const lines = logged();
    vi.spyOn(home.platform.jobs, "list").mockRejectedValue(new Error("a secret of the database"));
    expect(complaintOf(await call(agent, "list_jobs"))).toMatch(
      /^internal_error: The service failed unexpectedly/,
    );
    expect(lines()).toContainEqual(expect.objectContaining({ event: "request_failed", level: "error" }));
  });
});

describe("who may call it", () => {
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

  it("is found with a slash at its end, too [A20-4]", async () => {
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

  it("names its own address as the resource where the audience is no address above it", async () => {
    const resourceFor = async (audience: string) => {
      overrideSettings({ OIDC_AUDIENCE: audience });
      return (await send("GET", METADATA)).body.resource;
    };
    expect(await resourceFor("https://elsewhere.test")).toBe("https://api.test/mcp");
    expect(await resourceFor("the-api")).toBe("https://api.test/mcp");
    expect(await resourceFor("https://api.test/mcp")).toBe("https://api.test/mcp");
    expect(await resourceFor("https://api.test/")).toBe("https://api.test/");
  });

  it("is anybody with an access token for this audience, and nobody with another's [A20-4]", async () => {
    const provider = await PlayedIdentityProvider.start();
    const agent = await connect(await provider.issue());
    expect((await call(agent, "list_jobs")).structuredContent).toMatchObject({ items: [] });
    const foreign = await provider.issue({ aud: "https://another.test/mcp" });
    expectError(
      await post(JSON.stringify(LIST), { authorization: `Bearer ${foreign}` }),
      401,
      "Unauthorized",
    );
  });

  it("is no page of another origin [A20-4]", async () => {
    for (const origin of ["https://evil.test", "null", "http://api.test"])
      expectError(await post(JSON.stringify(LIST), { origin }), 403, "origin_forbidden");
    expect((await post(JSON.stringify(LIST), { origin: "https://api.test" })).status).toBe(200);
  });

  it("is nobody where the operator has switched it off, nor is there metadata without a provider [A20-6]", async () => {
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
  it("is refused a body that is too large before it is read, a batch, and what is no JSON [A20-5]", async () => {
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

  it("asks for the tools without end, and is bounded by its account's rate [A20-5]", async () => {
    const use = () => env.RATE_LIMIT.limit({ key: client.accountId });
    await Promise.all(Array.from({ length: 590 }, use));
    const answers: Answer[] = [];
    for (let i = 0; i < 50; i += 1)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => post(JSON.stringify(LIST))))));
    const refused = answers.filter(({ status }) => status !== 200);
    // A new minute may have begun meanwhile.
    expect(refused.length).toBeGreaterThan(300);
    for (const answer of refused) expectError(answer, 429, "rate_limited");
  });

  it("pays for each request that a tool makes", async () => {
    const agent = await connect();
    const admits = vi.spyOn(home.platform.requestRate, "admits");
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    await finishNextJob(new PlayedInference(), client, [rectangle(1, 1, 2, 2)]);
    const { structuredContent } = await found;
    // The call, the upload, the job and its result; the test asks for two.
    expect(admits.mock.calls.filter(([key]) => key === client.accountId).length).toBeGreaterThanOrEqual(6);
    const { taskId } = Found.parse(structuredContent);
    expect(await env.MEDIA.head(inputKey(client.accountId, taskId))).not.toBeNull();
  });

  it("opens no stream that stays [A20-5]", async () => {
    expectError(
      await send("GET", "/mcp", { headers: { ...HEADERS, authorization: `Bearer ${client.key}` } }),
      405,
      "method_not_allowed",
    );
    const agent = await connect();
    await expect(agent.listen({ toolsListChanged: true })).rejects.toThrow(/limit/);
  });
});
