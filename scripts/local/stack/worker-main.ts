import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { parseArgs } from "node:util";
import { unstable_startWorker as startDevServer } from "wrangler";
import { DEFAULT_CONFIG, readConfiguration } from "../../shared/cloudflare/configuration.ts";
import { messageOf } from "../../shared/error-parts.ts";
import { EVENT_KEY_HEADER, EVENT_PATH, storedEvent, UPLOADS_QUEUE } from "./bucket-events.ts";

/*
 * Runs the Worker in the same development server as `wrangler dev`, but behind our front end. Wrangler's ends the whole session
 * when a client disconnects in the middle of a body. It also loses the request after one whose body was refused unread
 * (github.com/cloudflare/workers-sdk/issues/15203).
 */

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    data: { type: "string" },
    "env-file": { type: "string" },
    main: { type: "string" },
    config: { type: "string", default: DEFAULT_CONFIG },
  },
});

/** Reports a problem as the development server does. */
const complain = (what: string): void => console.error(`✘ [ERROR] ${what}`);

/** The key with which only this process can send the bucket's events. */
const eventKey = crypto.randomUUID();

const dev = await startDevServer({
  config: values.config,
  entrypoint: values.main ?? "scripts/local/stack/workers/main.ts",
  ...(values["env-file"] !== undefined && { envFiles: [values["env-file"]] }),
  bindings: {
    UPLOADS_QUEUE: { type: "queue", queue_name: UPLOADS_QUEUE },
    BUCKET_EVENTS_KEY: { type: "plain_text", value: eventKey },
  },
  dev: {
    server: { hostname: "127.0.0.1", port: 0 },
    inspector: false,
    watch: false,
    ...(values.data !== undefined && { persist: values.data }),
  },
});

let runtime: { hostname: string; port: string } | null = null;
dev.raw.on("reloadComplete", ({ proxyData }) => {
  runtime = proxyData.userWorkerUrl;
});
dev.raw.on("error", ({ reason, cause }) => {
  complain(`${reason}: ${cause instanceof Error ? cause.message : JSON.stringify(cause)}`);
});

/** Time that a request repeated without its body may wait for its response. */
const REFUSAL_PATIENCE_MS = 5_000;

/**
 * Returns the headers of a request that is repeated without its body. For a body of unknown length, the received length counts.
 */
function withoutBody({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const { "transfer-encoding": encoding, ...rest } = headers;
  return encoding === undefined ? rest : { ...rest, "content-length": String(socket.bytesRead) };
}

/** Forwards a request over a separate connection, because a connection with an unread body cannot be reused. */
function forward(incoming: IncomingMessage, answer: ServerResponse, withBody = true): void {
  if (runtime === null) {
    answer.writeHead(503, { "retry-after": "1" }).end();
    return;
  }
  const { method, url } = incoming;
  const headers = withBody ? incoming.headers : withoutBody(incoming);
  const { hostname: host, port } = runtime;
  const outgoing = request({ host, port, method, path: url, headers, agent: false }, (reply) => {
    outgoing.setTimeout(0);
    const event = storedEvent(incoming, reply, Date.now());
    if (event !== null) reply.on("end", () => void enqueue(event, `http://${host}:${port}`));
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
    reply.on("error", () => answer.destroy());
  });
  outgoing.on("error", () => {
    if (answer.headersSent || answer.destroyed) answer.destroy();
    // If the runtime refuses a body unread, its response can be lost when the connection is reset. The request is
    // repeated without its body, which yields the same response and has no other effect.
    else if (withBody) forward(incoming, answer, false);
    else answer.writeHead(502).end();
  });
  // Discard the rest of a body that was answered early: the next request follows it.
  answer.on("finish", () => incoming.unpipe(outgoing).resume());
  answer.on("close", () => {
    // The runtime treats a connection that merely ends as a client that still reads: it has to be reset.
    if (!answer.writableFinished) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  });
  if (withBody) {
    incoming.pipe(outgoing);
  } else {
    outgoing.flushHeaders();
    outgoing.setTimeout(REFUSAL_PATIENCE_MS, () => outgoing.destroy(new Error("no answer")));
  }
}

/** Forwards a WebSocket. Each end closes the other. */
function forwardSocket(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
  const { method, url, headers } = incoming;
  if (runtime === null) {
    client.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
    return;
  }
  const { hostname: host, port } = runtime;
  const outgoing = request({ host, port, method, path: url, headers, agent: false });
  const end = (): void => {
    client.destroy();
    outgoing.destroy();
  };
  outgoing.on("upgrade", ({ rawHeaders }, server, rest) => {
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    client.write(rest);
    server.write(head);
    server.pipe(client).pipe(server);
    server.on("error", end).on("close", end);
    client.on("close", () => server.destroy());
  });
  outgoing.on("response", ({ statusCode, statusMessage }) => {
    client.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nconnection: close\r\n\r\n`);
    outgoing.destroy();
  });
  outgoing.on("error", end);
  client.on("error", end);
  outgoing.end();
}

/** Puts the bucket's events into the Worker's queue, like R2's event notifications. The inspection of uploads finds lost ones. */
async function enqueue(event: object, address: string): Promise<void> {
  try {
    const headers = { [EVENT_KEY_HEADER]: eventKey };
    const init = { method: "POST", headers, body: JSON.stringify(event) };
    const response = await fetch(new URL(EVENT_PATH, address), init);
    await response.body?.cancel();
    if (!response.ok) complain(`An event of the bucket got lost: status ${response.status}.`);
  } catch (error) {
    complain(`An event of the bucket got lost: ${messageOf(error)}`);
  }
}

const PERIOD_MS = 60_000;

async function fire(address: string, cron: string): Promise<void> {
  const url = new URL("/cdn-cgi/local/scheduled", address);
  url.searchParams.set("cron", cron);
  const response = await fetch(url);
  await response.body?.cancel();
  if (!response.ok) complain(`The cron "${cron}" ended with status ${response.status}.`);
}

/**
 * Fires the Worker's cron triggers, because a local runtime does not. Each fires once a minute, regardless of its schedule: a
 * person at a laptop should not wait for an hour. Fires nothing while the Worker is not up.
 */
function fireCrons(crons: readonly string[]): void {
  setInterval(() => {
    if (runtime === null) return;
    const address = `http://${runtime.hostname}:${runtime.port}`;
    for (const cron of crons) {
      fire(address, cron).catch((error: unknown) =>
        complain(`The cron "${cron}" failed: ${messageOf(error)}`),
      );
    }
  }, PERIOD_MS);
}

await dev.ready;
createServer({ requestTimeout: 0 }, (incoming, answer) => forward(incoming, answer))
  .on("upgrade", forwardSocket)
  .listen(Number(values.port), "127.0.0.1");
fireCrons((await readConfiguration(DEFAULT_CONFIG, { operator: false })).triggers.crons);
