import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { deliverArchive } from "../../support/worker/fixtures/archives.ts";
import { finishNextJob, rectangle, SIZE } from "../../support/worker/fixtures/bridges.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { fakeElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { callBack, deliverTask, failure, FakeInference } from "../../support/worker/fakes/inference.ts";
import { MP4, newJob, newVideoJob, PNG, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectWaiters } from "../../support/worker/fixtures/waiters.ts";
import { complaintOf, Found, IMAGE, call, connect, REVISIONS } from "../../support/worker/client/mcp.ts";

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

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe.each(REVISIONS)("the MCP server, for a client of %s", (revision) => {
  it("lists its tools, each with schemas, hints and its cost [A20-2]", async () => {
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

  it("finds prompted objects, draws regions in the same upload, and exports the job [A20-1]", async () => {
    const agent = await connect(client.key, revision);
    const inference = new FakeInference();
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
      regions: [{ points }, { box: [20, 10, 8, 8] }],
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
    }, PATIENT);
    expect((await exported).structuredContent).toMatchObject({ jobId, status: "ready" });
  });

  it("reports how far a job is to a client that wants to hear it [A20-3]", async () => {
    const agent = await connect(client.key, revision);
    const { jobId, taskId } = await newVideoJob(client);
    const inference = new FakeInference();
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
      fakeElsewhere(new Request(input, init)),
    );
    const agent = await connect(client.key);
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

  it("takes a video by its bytes' type, and answers with counts and a link", async () => {
    const agent = await connect(client.key);
    const taskId = await uploaded(client, MP4, "video/mp4");
    const found = call(agent, "segment", { image: { taskId }, prompts: ["cat"] });
    const jobId = await finishNextJob(new FakeInference(), client, {
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
    const agent = await connect(client.key);
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    await finishNextJob(new FakeInference(), client, failure(false));
    expect((await found).structuredContent).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/not a picture|not_an_image/),
      objects: [],
    });
  });

  it("stores a picture that comes again once, and again if its upload is gone", async () => {
    const agent = await connect(client.key);
    const inference = new FakeInference();
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
    const agent = await connect(client.key);
    const inference = new FakeInference();
    const fake = vi.mocked(globalThis.fetch).getMockImplementation();
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) =>
      new Request(input, init).url.startsWith("https://pictures.test/")
        ? new Response(PNG, { headers: { "content-length": String(PNG.length) } })
        : ((await fake?.(input, init)) ?? Response.error()),
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

  it("returns many objects over several answers", async () => {
    const agent = await connect(client.key);
    const found = call(agent, "segment", { image: IMAGE, prompts: ["cat"] });
    const jobId = await finishNextJob(
      new FakeInference(),
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
    const agent = await connect(client.key);
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

  it("reveals no more about an internal failure than the API does", async () => {
    const agent = await connect(client.key);
    const lines = logged();
    vi.spyOn(home.platform.jobs, "list").mockRejectedValue(new Error("a secret of the database"));
    expect(complaintOf(await call(agent, "list_jobs"))).toMatch(
      /^internal_error: The service failed unexpectedly/,
    );
    expect(lines()).toContainEqual(expect.objectContaining({ event: "request_failed", level: "error" }));
  });
});
