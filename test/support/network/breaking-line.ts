import { once } from "node:events";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { openAsBlob } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SegmentationClient } from "segmentation-client/node";
import { expect } from "vitest";
import { addressOf } from "../../../client/test/support/memory-client.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** A connection that breaks again and again. */
interface LineTerms {
  readonly bytesPerSecond: number;
  readonly breaksEverySeconds: number;
  /**
   * True to limit the speed to `bytesPerSecond`. The line's clock then runs with the bytes that pass, and also while none are
   * waiting; not while a busy machine delays them, which would not be the line's fault. Otherwise it runs with the bytes alone.
   */
  readonly isSlow: boolean;
}

/** Interval at which the clock of an idle line advances, in milliseconds. */
const TICK_MS = 50;

/**
 * Starts a proxy before a service, whose connections all break again and again. It records how much of each part of an upload has
 * passed.
 */
async function startBreakingLine(target: string, { bytesPerSecond, breaksEverySeconds, isSlow }: LineTerms) {
  const { host, hostname, port } = new URL(target);
  const sent = new Map<string, { bytes: number; done: boolean; again: boolean }>();
  const sockets = new Set<Socket>();
  let breaks = 0;
  /** Seconds of the line's clock. */
  let seconds = 0;
  let underWay = 0;
  const goOn = (by: number): void => {
    seconds += by;
    if (seconds < (breaks + 1) * breaksEverySeconds) return;
    breaks += 1;
    for (const socket of sockets) socket.destroy();
  };
  const idle = setInterval(() => {
    if (!isSlow || underWay > 0) return;
    goOn(TICK_MS / 1_000);
  }, TICK_MS);
  const server = createServer((incoming, response) => {
    const { method = "GET", url = "/" } = incoming;
    const part = new URL(url, target).searchParams.get("partNumber");
    const behind = forward({ hostname, port, method, path: url, headers: { ...incoming.headers, host } });
    const known = sent.get(part ?? "") ?? { bytes: 0, done: false, again: false };
    if (part !== null) sent.set(part, known);
    known.again ||= known.done;
    underWay += 1;
    response.on("close", () => (underWay -= 1));
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
        goOn(piece.length / bytesPerSecond);
        if (isSlow) await sleep((piece.length / bytesPerSecond) * 1_000);
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
      clearInterval(idle);
      server.closeAllConnections();
      server.close();
    },
  };
}

const PART_BYTES = 8 * 1024 ** 2;

/** Uploads a file of this size over such a line. Expects it to arrive complete, with no more than a part sent twice. */
export async function expectToArrive(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  line: LineTerms,
  size: number,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "multipart-"));
  const proxy = await startBreakingLine(baseUrl, line);
  try {
    const path = join(folder, "large.mp4");
    const file = await open(path, "w");
    await file.write(await readFile(join(PROJECT_ROOT, "samples", "people-crossing.mp4")));
    await file.truncate(size);
    await file.close();
    // The signatures are for the stack's host.
    const through: typeof fetch = (url, init) => fetch(addressOf(url).replace(baseUrl, proxy.url), init);
    const client = new SegmentationClient({ baseUrl, apiKey, fetch: through, retryDelayMs: 50 });
    const reported: number[] = [];
    const clip = await openAsBlob(path);
    const taskId = await client.upload(clip, { onProgress: (bytes) => void reported.push(bytes) });

    const parts = [...proxy.sent.values()];
    expect(parts.length).toBe(Math.ceil(size / PART_BYTES));
    expect(proxy.breaks()).toBeGreaterThan(1);
    expect(parts.filter(({ again }) => again)).toEqual([]);
    const twice = parts.reduce((sum, { bytes }) => sum + bytes, 0) - size;
    expect(twice).toBeGreaterThanOrEqual(0);
    expect(twice).toBeLessThanOrEqual(proxy.breaks() * PART_BYTES);
    expect(reported.at(-1)).toBe(size);

    const again = new SegmentationClient({ baseUrl, apiKey });
    const completed = await again.api.completeMultipartUpload({
      taskId,
      parts: [{ partNumber: 1, etag: "any" }],
    });
    expect(completed.size).toBe(size);
  } finally {
    proxy.close();
    await rm(folder, { recursive: true });
  }
}
