import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../../scripts/shared/chromium.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** More than the sockets between browser and storage hold. */
const SIZE = 48_000_000;

/**
 * A storage that takes the beginning of each file, and the rest after a request for `/go`; and a page of its origin.
 */
async function startStorage(): Promise<{ readonly url: string; readonly close: () => void }> {
  const waiting: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    if (request.method === "PUT") {
      request.once("data", () => waiting.push(request.pause()));
      request.on("end", () => response.end());
      return;
    }
    if (request.url === "/go") for (const each of waiting) each.resume();
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>A page</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("an upload in a browser, by a client with a custom fetch", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  let storage: Awaited<ReturnType<typeof startStorage>>;
  let script: string;
  beforeAll(async () => {
    [browser, storage] = await Promise.all([launchChromium(), startStorage()]);
    const { outputFiles } = await build({
      stdin: {
        contents: `import { SegmentationClient } from "segmentation-client"; globalThis.SegmentationClient = SegmentationClient;`,
        resolveDir: join(PROJECT_ROOT, "client"),
      },
      bundle: true,
      write: false,
      format: "iife",
    });
    script = outputFiles[0]?.text ?? "";
  });
  afterAll(async () => {
    storage.close();
    await browser?.close();
  });

  /** Result of a script with a client, whose fetch records its requests, and a file. */
  async function inPage<T>(timeoutMs: number, run: string): Promise<T | null> {
    if (browser === null) return null;
    const page = await browser.newPage();
    await page.goto(storage.url);
    await page.addScriptTag({ content: script });
    const given: T = await page.evaluate(`(async () => {
      const asked = [];
      const place = { uploadUrl: "${storage.url}/a", taskId: "a.png", bucket: "b", expiresIn: 300 };
      const client = new SegmentationClient({
        baseUrl: "http://service.test",
        apiKey: "sk_live_fake",
        fetch: async (url) => (asked.push(String(url)), Response.json(place)),
        timeoutMs: ${timeoutMs},
        maxRetries: 0,
      });
      const file = new Blob([new Uint8Array(${SIZE})], { type: "image/png" });
      ${run}
    })()`);
    await page.close();
    return given;
  }

  it("reports its progress within the file, and asks the service by that fetch", async () => {
    const seen = await inPage<{ reported: number[]; asked: string[] }>(
      100_000,
      `const reported = [];
       await client.upload(file, { onProgress: (bytes) => void (reported.push(bytes), fetch("/go")) });
       return { reported, asked };`,
    );
    if (seen === null) return console.log("This machine has no browser.");
    expect(seen.reported.at(-1)).toBe(SIZE);
    expect(seen.reported.some((bytes) => bytes > 0 && bytes < SIZE)).toBe(true);
    expect(seen.asked).toEqual(["http://service.test/v1/uploads/presign"]);
  });

  it("is given up when its connection stalls in the middle, after the time limit", async () => {
    const failure = await inPage<string>(
      2_000,
      `return await client.upload(file).then(() => "sent", (error) => error.code + ": " + error.message);`,
    );
    if (failure === null) return console.log("This machine has no browser.");
    expect(failure).toContain("timed_out: No data received for 2 s.");
  });
});
