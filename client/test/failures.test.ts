import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient, SegmentationError } from "segmentation-client";
import { SegmentationClient as NodeClient } from "segmentation-client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../scripts/shared/listen.ts";
import { answering, OPTIONS } from "./support/answering.ts";
import { memoryClient, memoryFetch, picture } from "./support/memory-client.ts";
import { fakeService } from "./support/fake-service.ts";

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  const failure: unknown = await call.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SegmentationError);
  return failure;
};

describe("a malformed answer", () => {
  it.each<[string, unknown, string]>([
    ["null", Response.json(null), "unreadable_answer"],
    ["a number", Response.json(1), "unreadable_answer"],
    ["a page", new Response("<!doctype html>"), "unreadable_answer"],
    ["nothing", new Response(null, { status: 204 }), "unreadable_answer"],
    ["a response of something else", { status: 200 }, "invalid_input"],
    ["undefined", undefined, "invalid_input"],
  ])("is a SegmentationError: %s", async (_, answer, code) => {
    const fetch = () => Promise.resolve(answer instanceof Response ? answer.clone() : answer);
    const client = new SegmentationClient({ ...OPTIONS, maxRetries: 1, fetch: Object(fetch) });
    for (const call of [
      () => client.api.getAccount(),
      () => client.upload(picture(1)),
      () => client.segment({ taskId: "a" }, "cup"),
      () => client.result("job_1"),
      () => client.archive("job_1"),
    ])
      expect(await failureOf(call())).toMatchObject({ code });
  });

  it("lacks required fields", async () => {
    const client = new SegmentationClient({ ...OPTIONS, fetch: () => Promise.resolve(Response.json({})) });
    expect(await failureOf(client.segment({ taskId: "a" }, "cup"))).toMatchObject({
      code: "unreadable_answer",
    });
  });

  it("was already read by the caller's fetch", async () => {
    const { client, asked } = answering([
      async () => {
        const response = Response.json({});
        await response.text();
        return response;
      },
    ]);
    expect(await failureOf(client.api.getAccount())).toMatchObject({ code: "invalid_input" });
    expect(asked).toHaveLength(1);
  });

  it("is read without a stream of the Web, as React Native's", async () => {
    const response = Object.defineProperty(Response.json({ accountId: "acct_1" }), "body", {
      value: undefined,
    });
    const { client } = answering([() => response]);
    expect(await client.api.getAccount()).toEqual({ accountId: "acct_1" });
  });
});

describe("an address that redirects", () => {
  let other: string;
  let origin: string;
  let location = (url: string): string => other + url;
  let status = 301;
  const asked: string[] = [];
  const target = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { location: location(request.url ?? "") }).end();
  });
  beforeAll(async () => {
    [other, origin] = [await listen(target), await listen(server)];
  });
  afterAll(() => {
    target.close();
    server.close();
  });

  it.each<[string, number, (url: string) => string, () => string]>([
    ["another host", 301, (url) => other + url, () => other],
    ["another path", 308, (url) => `/prefix${url}`, () => `${origin}/prefix`],
    ["a page to sign in on", 302, () => `${other}/login?token=secret`, () => `${other}/login`],
  ])("to %s is refused by the new one's name, and nothing is sent there", async (_, code, to, named) => {
    [status, location] = [code, to];
    asked.length = 0;
    const client = new SegmentationClient({ ...OPTIONS, baseUrl: origin });
    const message = `The address ${origin} redirects to ${named()}. Use that one.`;
    for (const call of [
      () => client.api.listJobs(),
      () => client.api.createJob({ type: "image", prompts: ["cup"], tasks: ["a"] }),
      () => client.upload(picture(1)),
    ])
      expect(await failureOf(call())).toMatchObject({ code: "invalid_input", status: code, message });
    expect(asked).toEqual(["GET /v1/jobs", "POST /v1/jobs", "POST /v1/uploads/presign"]);
  });

  it("is refused, too, if the caller's fetch has followed it, or a browser hides it", async () => {
    [status, location] = [301, (url) => other + url];
    const following = new SegmentationClient({
      ...OPTIONS,
      baseUrl: origin,
      fetch: (url, init) => fetch(url, { ...init, redirect: "follow" }),
    });
    expect(await failureOf(following.api.getAccount())).toMatchObject({
      message: `The address ${origin} redirects to ${other}. Use that one.`,
    });
    const hidden = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
    const { client } = answering([() => hidden]);
    expect(await failureOf(client.api.getAccount())).toMatchObject({ code: "invalid_input" });
  });
});

describe("a failure that is not the network's", () => {
  it("is not repeated: a folder that a download cannot be written to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "client-failures-"));
    const service = fakeService();
    const retries: unknown[] = [];
    const client = new NodeClient({
      baseUrl: "http://fake.test",
      apiKey: "sk_live_fake",
      fetch: memoryFetch(service),
    });
    const result = await client.segment(picture(1), "cup", { generatePreview: true });
    const { downloadUrl } = await client.archive(result.jobId);
    const call = client.downloadTo(join(folder, "none", "a.zip"), downloadUrl, {
      onRetry: (e) => retries.push(e),
    });
    expect(await failureOf(call)).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("ENOENT"),
    });
    expect(await failureOf(result.save("/dev/null/out"))).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("/dev/null/out"),
    });
    expect(retries).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it("is not repeated: a value that JSON can't express, found before the upload", async () => {
    const { client, service } = memoryClient();
    const options = { threshold: Object(1n) };
    expect(await failureOf(client.segment(picture(1), "cup", options))).toMatchObject({
      code: "invalid_input",
    });
    expect(service.asked).toEqual([]);
  });

  it("rejects at once with the same error if a caller's function throws", async () => {
    const { client, service } = memoryClient();
    const onProgress = () => {
      throw new RangeError("mine");
    };
    await expect(client.upload(picture(1), { onProgress })).rejects.toThrow(new RangeError("mine"));
    await expect(client.segment(picture(1), "cup", { onProgress })).rejects.toThrow(new RangeError("mine"));
    expect(service.asked.filter((each) => each.startsWith("PUT"))).toHaveLength(2);
  });
});
