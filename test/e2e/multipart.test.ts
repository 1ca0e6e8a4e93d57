import { openAsBlob } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import { once } from "node:events";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SharedStack, useSharedStack } from "../support/node/shared-stack.ts";
import { addressOf } from "../../client/test/support/memory-client.ts";
import { sample } from "../support/node/sample.ts";

/** Larger than what the client sends at once. */
const SIZE = 70_000_001;
/** A line of 10 MB per second that breaks every two seconds; by bytes, so that a busy machine changes nothing. */
const BREAKS_EVERY_BYTES = 20_000_000;

/** A proxy before the stack, whose connections all break again and again; and what of each part has passed it. */
async function startBreaking(target: string) {
  const { host, hostname, port } = new URL(target);
  const sent = new Map<string, { bytes: number; done: boolean; again: boolean }>();
  const sockets = new Set<Socket>();
  let breaks = 0;
  let passed = 0;
  const server = createServer((incoming, response) => {
    const { method = "GET", url = "/" } = incoming;
    const part = new URL(url, target).searchParams.get("partNumber");
    const behind = forward({ hostname, port, method, path: url, headers: { ...incoming.headers, host } });
    const known = sent.get(part ?? "") ?? { bytes: 0, done: false, again: false };
    if (part !== null) sent.set(part, known);
    known.again ||= known.done;
    behind.on("error", () => response.destroy());
    behind.on("response", (answer) => {
      known.done ||= answer.statusCode === 200;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.on("error", () => behind.destroy());
    incoming.on("close", () => {
      if (!incoming.complete) behind.destroy();
    });
    void (async () => {
      for await (const piece of incoming) {
        known.bytes += piece.length;
        passed += piece.length;
        if (passed > BREAKS_EVERY_BYTES) {
          breaks += 1;
          passed = 0;
          for (const socket of sockets) socket.destroy();
        }
        if (!behind.write(piece)) await once(behind, "drain");
      }
      behind.end();
    })().catch(() => behind.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    sent,
    breaks: () => breaks,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("a large file over a connection that breaks every 20 MB", () => {
  let stack: SharedStack;
  let folder: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    folder = await mkdtemp(join(tmpdir(), "multipart-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("arrives whole, and nothing beyond a part is sent twice [4.1-17]", async () => {
    const path = join(folder, "large.png");
    const file = await open(path, "w");
    await file.write(sample("chelsea"));
    await file.truncate(SIZE);
    await file.close();

    const proxy = await startBreaking(stack.baseUrl);
    // The signatures are of the stack's own host.
    const through: typeof fetch = (url, init) =>
      fetch(addressOf(url).replace(stack.baseUrl, proxy.url), init);
    const { apiKey, baseUrl } = stack;
    const client = new SegmentationClient({ baseUrl, apiKey, fetch: through, retryDelayMs: 50 });
    const reported: number[] = [];
    const clip = await openAsBlob(path, { type: "video/mp4" });
    const taskId = await client.upload(clip, { onProgress: (bytes) => void reported.push(bytes) });
    proxy.close();

    const parts = [...proxy.sent.values()];
    expect(parts.length).toBe(9);
    expect(proxy.breaks()).toBeGreaterThan(1);
    expect(parts.filter(({ again }) => again)).toEqual([]);
    const twice = parts.reduce((sum, { bytes }) => sum + bytes, 0) - SIZE;
    expect(twice).toBeGreaterThanOrEqual(0);
    expect(twice).toBeLessThanOrEqual(proxy.breaks() * 8 * 1024 ** 2);
    expect(reported.at(-1)).toBe(SIZE);

    const again = new SegmentationClient({ baseUrl, apiKey });
    const { size } = await again.api.completeMultipartUpload({
      taskId,
      parts: [{ partNumber: 1, etag: "any" }],
    });
    expect(size).toBe(SIZE);
  });
});
