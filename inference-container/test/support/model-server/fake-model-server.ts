/**
 * A server of the Open Inference Protocol (KServe v2) with Triton's binary tensors. It follows the published documents
 * (the REST specification, Triton's extensions `binary_tensor_data` and `schedule_policy`) and Triton 2.51's answers in
 * inference-container/test/long/triton.test.ts. Its model finds rectangles of the color that a prompt names. A test may
 * change each answer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Fake, sendAnswer } from "./fake-answer.ts";
import { find, GRID } from "./fake-model.ts";
import { MODEL, readRequest, type Seen } from "./fake-request.ts";

interface Metadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  inputs: { name: string; datatype: string; shape: number[] }[];
  outputs: { name: string; datatype: string; shape: number[] }[];
}

export interface FakeServer extends AsyncDisposable {
  readonly origin: string;
  /** Every inference request so far. */
  readonly seen: Seen[];
  /** Every requested path, inference or not. */
  readonly paths: string[];
  /** The answers of the health paths. */
  health: { live: number; ready: number; model: number };
  metadata: Metadata;
  /** The bearer token without which everything is 401. */
  token: string | undefined;
  /** The answer to an inference; by default `find`. */
  infer: (seen: Seen) => Promise<Fake> | Fake;
  close(): Promise<void>;
  /** Listens again on its port after a close. */
  open(): Promise<void>;
}

export const fixtureMetadata = (): Metadata => ({
  name: MODEL,
  versions: ["1"],
  platform: "python",
  inputs: [
    { name: "image", datatype: "UINT8", shape: [-1, -1, 3] },
    { name: "prompts", datatype: "BYTES", shape: [-1] },
    { name: "threshold", datatype: "FP32", shape: [1] },
    { name: "content_hash", datatype: "BYTES", shape: [1] },
  ],
  outputs: [
    { name: "boxes", datatype: "FP32", shape: [-1, 4] },
    { name: "scores", datatype: "FP32", shape: [-1] },
    { name: "prompt_index", datatype: "INT32", shape: [-1] },
    { name: "masks", datatype: "FP16", shape: [-1, GRID, GRID] },
  ],
});

/** Starts the server on a free port of this machine. */
export async function startPlayedServer(): Promise<FakeServer> {
  const server = createServer((request, response) => {
    void handle(fake, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(JSON.stringify({ error: String(error) }));
    });
  });
  const listen = async (port: number): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(port, "127.0.0.1", resolve);
    await promise;
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeAllConnections();
    await promise;
  };
  const port = await listen(0);
  const fake: FakeServer = {
    origin: `http://127.0.0.1:${port}`,
    seen: [],
    paths: [],
    health: { live: 200, ready: 200, model: 200 },
    metadata: fixtureMetadata(),
    token: undefined,
    infer: find,
    close,
    open: async () => void (await listen(port)),
    [Symbol.asyncDispose]: close,
  };
  return fake;
}

async function handle(fake: FakeServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const path = request.url ?? "";
  fake.paths.push(path);
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (fake.token !== undefined && request.headers.authorization !== `Bearer ${fake.token}`)
    return answer(401, { error: `not accepted: ${request.headers.authorization}` });
  const { live, ready, model } = fake.health;
  const own = `/v2/models/${MODEL}`;
  const unversioned = path.replace(`${own}/versions/1`, own);
  if (path === "/v2") return answer(200, { name: "fake", version: "1", extensions: EXTENSIONS });
  if (path === "/v2/health/live") return void response.writeHead(live).end();
  if (path === "/v2/health/ready") return void response.writeHead(ready).end();
  if (unversioned === `${own}/ready`) return void response.writeHead(model).end();
  if (path.endsWith("/ready")) return answer(400, { error: "Model version not ready" });
  if (unversioned === own) return answer(200, fake.metadata);
  if (unversioned !== `${own}/infer` || request.method !== "POST")
    return answer(404, { error: `Request for unknown model or path: '${path}'` });
  const seen = await readRequest(request, gone.signal);
  fake.seen.push(seen);
  await sendAnswer(response, seen, await fake.infer(seen));
}

const EXTENSIONS = ["binary_tensor_data", "parameters", "schedule_policy"];
