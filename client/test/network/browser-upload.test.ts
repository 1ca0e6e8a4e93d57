import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../../scripts/shared/chromium.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { playService } from "../support/played-service.ts";
import { serve } from "../support/serve.ts";

const SIZE = 6_000_000;

/** A storage that takes a part of each file and then nothing more. */
async function startStalling(): Promise<{ readonly url: string; readonly close: () => void }> {
  const cors = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "access-control-allow-methods": "*",
  };
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    request.once("data", () => request.pause());
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

describe("an upload in a browser, by a client with a fetch of its own", () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  let script: string;
  beforeAll(async () => {
    browser = await launchChromium();
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
  afterAll(() => browser?.close());

  async function inPage<T>(baseUrl: string, run: string): Promise<T | null> {
    if (browser === null) return null;
    const page = await browser.newPage();
    await page.goto(baseUrl);
    await page.addScriptTag({ content: script });
    const given: T = await page.evaluate(`(async () => {
      const asked = [];
      const client = new SegmentationClient({
        baseUrl: ${JSON.stringify(baseUrl)},
        apiKey: "sk_live_played",
        fetch: (url, init) => (asked.push(String(url)), fetch(url, init)),
        timeoutMs: 2_000,
        maxRetries: 0,
      });
      const file = new Blob([new Uint8Array(${SIZE})], { type: "image/png" });
      ${run}
    })()`);
    await page.close();
    return given;
  }

  it("reports its progress within the file, and asks the service by that fetch", async () => {
    const { app } = playService();
    app.get("/", (c) => c.html("<!doctype html><title>A page</title>"));
    const seen = await inPage<{ reported: number[]; asked: string[] }>(
      await serve(app),
      "const reported = []; await client.upload(file, { onProgress: (bytes) => reported.push(bytes) }); return { reported, asked };",
    );
    if (seen === null) return console.log("This machine has no browser.");
    expect(seen.reported.at(-1)).toBe(SIZE);
    expect(seen.reported.some((bytes) => bytes > 0 && bytes < SIZE)).toBe(true);
    expect(seen.asked.map((url) => new URL(url).pathname)).toEqual(["/v1/uploads/presign"]);
  });

  it("is given up when its connection stalls in the middle, after the time limit", async () => {
    const storage = await startStalling();
    const { app } = playService();
    app.get("/", (c) => c.html("<!doctype html><title>A page</title>"));
    const failure = await inPage<string>(
      await serve(app),
      `client.connection.fetch = async () => Response.json({ uploadUrl: "${storage.url}/a", taskId: "a.png", bucket: "b", expiresIn: 300 });
       return await client.upload(file).then(() => "sent", (error) => error.code);`,
    );
    storage.close();
    expect([null, "timed_out"]).toContain(failure);
  });
});
