import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hono } from "hono";
import { listen } from "../../../scripts/shared/listen.ts";
import type { Draws } from "../../../test/support/chaos/draws.ts";

/** Faults of a request on its way. */
const FAULTS = [
  "lost before it arrives",
  "its answer lost",
  "delayed",
  "cut in the middle of its body",
  "answered 429",
  "answered 502 by a proxy before it arrives",
  "answered 502 by a proxy after it took effect",
  "answered 503 with Retry-After",
  "its answer cut in the middle",
  "its answer stalled in the middle",
  "never answered",
  "a piece of its answer twice",
] as const;
type Fault = (typeof FAULTS)[number];

export interface FaultyNetwork {
  readonly baseUrl: string;
  /** The number of times that each fault has happened. */
  readonly happened: ReadonlyMap<Fault, number>;
  readonly close: () => Promise<void>;
}

/** Serves an app behind a network in which a share of the requests, 0 to 1, has a fault. */
export async function startFaultyNetwork(app: Hono, share: number, draws: Draws): Promise<FaultyNetwork> {
  const happened = new Map<Fault, number>();
  const server = createServer((request, response) => {
    const fault = draws.fault(FAULTS.map((name) => [name, share / FAULTS.length] as const));
    if (fault !== null) happened.set(fault, (happened.get(fault) ?? 0) + 1);
    handle(app, request, response, fault).catch(() => response.destroy());
  });
  return {
    baseUrl: await listen(server),
    happened,
    async close() {
      const closed = once(server.close(), "close");
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  app: Hono,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | null,
): Promise<void> {
  if (fault === "lost before it arrives") return void request.socket.destroy();
  if (fault === "never answered") return;
  if (fault === "cut in the middle of its body") {
    await Promise.race([once(request, "data"), once(request, "end")]);
    return void request.socket.destroy();
  }
  const body = await buffer(request);
  if (fault === "answered 429") return void response.writeHead(429).end();
  if (fault === "answered 502 by a proxy before it arrives")
    return void response.writeHead(502).end("<html>Bad gateway</html>");
  if (fault === "answered 503 with Retry-After")
    return void response.writeHead(503, { "retry-after": "0" }).end();
  if (fault === "delayed") await sleep(30);

  const url = `http://${request.headers.host}${request.url}`;
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const method = request.method ?? "GET";
  const answer = await app.fetch(
    new Request(url, { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) }),
  );
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (fault === "its answer lost") return void request.socket.destroy();
  if (fault === "answered 502 by a proxy after it took effect") return void response.writeHead(502).end();
  await send(response, answer, bytes, fault);
}

async function send(
  response: ServerResponse,
  { status, headers }: Response,
  bytes: Buffer,
  fault: Fault | null,
): Promise<void> {
  const isTwice = fault === "a piece of its answer twice";
  response.writeHead(status, {
    ...Object.fromEntries(headers),
    ...(!isTwice && { "content-length": bytes.length }),
  });
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  const rest = bytes.subarray(half.length);
  if (fault === "its answer stalled in the middle") return void response.write(half);
  if (fault === "its answer cut in the middle") {
    response.write(half);
    // The written bytes leave before the connection ends.
    await sleep(1);
    return void response.destroy();
  }
  if (isTwice) response.write(half);
  response.write(half);
  response.end(rest);
}
