import { createReadStream } from "node:fs";
import { appendFile, chmod, type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { type Input, SegmentationClient } from "segmentation-client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../../scripts/shared/listen.ts";
import { only } from "../../../test/support/at.ts";
import { picture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";

/** More than a stream's first chunk, so that a file that grows is noticed on the way. */
const CONTENT = Buffer.concat([picture(5), Buffer.alloc(300_000)]);

describe("an input of /node", () => {
  let folder: string;
  let origin: string;
  const server = createServer((request, response) =>
    response.writeHead(request.url === "/cup.png" ? 200 : 404).end(CONTENT),
  );
  const handles: FileHandle[] = [];
  const opened = async (): Promise<FileHandle> => {
    const handle = await open(at("cup.png"));
    handles.push(handle);
    // The whole file is meant.
    await handle.read(Buffer.alloc(9));
    return handle;
  };
  const at = (name: string): string => join(folder, name);
  const received = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve) => get(origin + path, resolve));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-inputs-"));
    await writeFile(at("cup.png"), CONTENT);
    await writeFile(at("empty.png"), "");
    await writeFile(at("secret.png"), CONTENT);
    await chmod(at("secret.png"), 0);
    origin = await listen(server);
  });
  afterAll(async () => {
    for (const handle of handles) await handle.close();
    server.close();
    await rm(folder, { recursive: true });
  });

  async function fake(options: { readonly fetch?: typeof fetch } = {}) {
    const service = fakeService();
    const baseUrl = await serve(service.app);
    const client = new SegmentationClient({ baseUrl, apiKey: "sk_live_fake", retryDelayMs: 1, ...options });
    return { service, client };
  }

  it.each<[string, () => Input | Promise<Input>, string | undefined]>([
    ["a path", () => at("cup.png"), "cup.png"],
    ["a file: URL", () => pathToFileURL(at("cup.png")), "cup.png"],
    ["the text of a file: URL", () => pathToFileURL(at("cup.png")).href, "cup.png"],
    ["a stream of a file", () => createReadStream(at("cup.png")), undefined],
    ["an open file", () => opened(), undefined],
    ["a response of Node's http", () => received("/cup.png"), undefined],
    ["a URL in capitals", () => `${origin}/cup.png`.replace("http", "HTTP"), "cup.png"],
  ])("is %s: its bytes arrive", async (_, input, name) => {
    const { client, service } = await fake();
    service.forbids.add("127.0.0.1");
    const given = await input();
    const { taskId, name: named } = only((await client.segment(given, "cup")).pictures);
    expect(Buffer.compare(service.uploads.get(taskId)?.bytes ?? Buffer.of(), CONTENT)).toBe(0);
    expect(named).toBe(name ?? taskId);
  });

  it.each<[string, () => Input | Promise<Input>, string]>([
    ["a folder", () => folder, "is not a file. Of a folder, give the files in it."],
    ["a missing file", () => at("none.png"), "ENOENT"],
    ["an empty file", () => at("empty.png"), "empty.png is empty"],
    [
      "a file: URL of another host",
      () => "file://host/cup.png",
      "file://host/cup.png is not the URL of a file",
    ],
    ["a path that no system takes", () => "a\0.png", "cannot be read"],
    ["an error of Node's http", () => received("/none"), "answered with status 404"],
    ["a stream of a missing file", () => createReadStream(at("none.png")), "ENOENT"],
    ["a URL of another kind", () => "s3://bucket/cup.png", "s3://bucket/cup.png is not a URL of the Web."],
  ])("that is %s is refused before anything is sent", async (_, input, message) => {
    const { client, service } = await fake();
    const given = await input();
    const failure = {
      name: "SegmentationError",
      code: "invalid_input",
      message: expect.stringContaining(message),
    };
    await expect(client.segment(given, "cup")).rejects.toMatchObject(failure);
    expect(service.asked).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("that may not be read is refused", async () => {
    const { client } = await fake();
    await expect(client.upload(at("secret.png"))).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("that grows while it is sent is refused, and not sent again", async () => {
    const { client } = await fake();
    await writeFile(at("growing.png"), CONTENT);
    const heard: unknown[] = [];
    const growing = client.upload(at("growing.png"), {
      onProgress: () => void appendFile(at("growing.png"), "more"),
      onRetry: (error) => heard.push(error),
    });
    // The bytes sent before may be all.
    const failure: unknown = await growing.catch((error: unknown) => error);
    expect(heard).toEqual([]);
    if (typeof failure !== "string")
      expect(failure).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("has changed"),
      });
  });

  it("is sent as bytes by a fetch whose streams are Node's, as node-fetch's are", async () => {
    const bodies: unknown[] = [];
    const { client, service } = await fake({
      fetch: async (url, init) => {
        if (init?.method === "PUT") bodies.push(init.body);
        const response = await fetch(url, init);
        const body = response.body && Readable.fromWeb(response.body);
        return Object.defineProperty(response, "body", { value: body });
      },
    });
    const taskId = await client.upload(at("cup.png"));
    expect(bodies).toEqual([expect.any(Uint8Array)]);
    expect(service.uploads.get(taskId)?.bytes).toHaveLength(CONTENT.length);
  });

  it.each<[string, () => Input]>([
    ["its stream", () => ({ stream: new ReadableStream<Uint8Array>() })],
    ["its response", () => new Response(new ReadableStream<Uint8Array>())],
  ])("ends at the caller's signal while %s is read", async (_, hanging) => {
    const { client } = await fake();
    const call = client.upload(hanging(), { signal: AbortSignal.timeout(20) });
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
