import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { parseArgs } from "node:util";
import { unstable_startWorker as startDevServer } from "wrangler";
import { fireCrons } from "./crons.ts";
import { readCrons } from "./wrangler-settings.ts";

/*
 * Runs the Worker as `wrangler dev` does, by the same development server, but with a front of its own: Wrangler's
 * ends the whole session when a client breaks off in the middle of a body, and loses the request that follows one
 * whose body was refused unread (github.com/cloudflare/workers-sdk/issues/15203).
 */

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    data: { type: "string" },
    "env-file": { type: "string" },
  },
});

const dev = await startDevServer({
  config: "wrangler.toml",
  ...(values["env-file"] !== undefined && { envFiles: [values["env-file"]] }),
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
  console.error(`${reason}: ${cause instanceof Error ? cause.message : JSON.stringify(cause)}`);
});

/** How long a request without its body may wait for the answer that made its body unwanted. */
const REFUSAL_PATIENCE_MS = 5_000;

/** The headers of a request that is asked again without its body: a body of unknown length has the length that came. */
function withoutBody({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const { "transfer-encoding": encoding, ...rest } = headers;
  return encoding === undefined ? rest : { ...rest, "content-length": String(socket.bytesRead) };
}

/** Passes a request on, over a connection of its own: one that was left with an unread body is of no further use. */
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
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
    reply.on("error", () => answer.destroy());
  });
  outgoing.on("error", () => {
    if (answer.headersSent || answer.destroyed) answer.destroy();
    // The answer to a body that nobody wanted can be lost as the connection is reset. Asked again without
    // the body, the same answer comes through, and nothing else can happen.
    else if (withBody) forward(incoming, answer, false);
    else answer.writeHead(502).end();
  });
  // What is left of a body that was answered early is read away: the next request stands behind it.
  answer.on("finish", () => incoming.unpipe(outgoing).resume());
  answer.on("close", () => outgoing.destroy());
  if (withBody) {
    incoming.pipe(outgoing);
  } else {
    outgoing.flushHeaders();
    outgoing.setTimeout(REFUSAL_PATIENCE_MS, () => outgoing.destroy(new Error("no answer")));
  }
}

await dev.ready;
createServer({ requestTimeout: 0 }, (incoming, answer) => forward(incoming, answer)).listen(
  Number(values.port),
  "127.0.0.1",
);
fireCrons(await readCrons(), () => runtime && `http://${runtime.hostname}:${runtime.port}`);
