import { createHash } from "node:crypto";
import { serve, type ServerType } from "@hono/node-server";
import { Hono } from "hono";
import {
  Completion,
  type OutputFile,
  OutputsRequest,
  ProgressReport,
  type ImageTaskRequest,
  type VideoTaskRequest,
} from "@segmentation/protocol";

const TOKEN = "lease-token";

/** The ETag that storage gives an object of these bytes. */
export const etagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

/** The Worker's and the storage's side of the protocol, on a real port; it records its requests. */
export interface WorkerSide {
  readonly origin: string;
  /** Inputs by name, served at /inputs/{name}. */
  readonly inputs: Map<string, Buffer>;
  /** The responses of GET /answers/{name}, made for each request. */
  readonly answers: Map<string, () => Response>;
  /** The stored files, by `key/name`. */
  readonly stored: Map<string, Buffer>;
  readonly completions: Map<string, Completion[]>;
  /** The progress reports of each task, in order. */
  readonly progress: Map<string, ProgressReport[]>;
  /** Keys whose lease is lost: every callback answers 409. */
  readonly lost: Set<string>;
  /** A picture's task for this side, `overrides` on top. */
  request(overrides?: Partial<ImageTaskRequest>): ImageTaskRequest;
  /** A video's task for this side, `overrides` on top. */
  videoRequest(overrides?: Partial<VideoTaskRequest>): VideoTaskRequest;
  /** Resolves with the report of a task. */
  completed(key: string): Promise<Completion>;
  /** Makes the next requests to a route ("PUT", "outputs", "complete", "progress", "input") fail with these statuses. */
  failNext(route: string, ...statuses: number[]): void;
  close(): Promise<void>;
}

export async function startWorkerSide(): Promise<WorkerSide> {
  const inputs = new Map<string, Buffer>();
  const answers = new Map<string, () => Response>();
  const stored = new Map<string, Buffer>();
  const granted = new Map<string, OutputFile>();
  const completions = new Map<string, Completion[]>();
  const progress = new Map<string, ProgressReport[]>();
  const lost = new Set<string>();
  const faults = new Map<string, number[]>();
  const waiters = new Map<string, (completion: Completion) => void>();
  const fault = (route: string): Response | undefined => {
    const status = faults.get(route)?.shift();
    return status === undefined ? undefined : new Response(null, { status });
  };
  const app = new Hono();
  app.get("/inputs/:name", (c) => {
    const bytes = inputs.get(c.req.param("name"));
    const failed = fault("input");
    if (failed !== undefined) return failed;
    if (bytes === undefined) return c.notFound();
    const etag = etagOf(bytes);
    if ((c.req.header("if-match") ?? etag) !== etag) return c.body(null, 412);
    return c.body(Uint8Array.from(bytes), 200, { etag });
  });
  app.get("/answers/:name", (c) => answers.get(c.req.param("name"))?.() ?? c.notFound());
  app.get(
    "/endless",
    () => new Response(new ReadableStream({ pull: (s) => s.enqueue(new Uint8Array(65_536)) })),
  );
  app.get("/redirect", (c) => c.redirect("/inputs/bright.png"));
  app.put("/storage/:key/*", async (c) => {
    const name = c.req.path.replace("/storage/", "");
    const file = granted.get(name);
    const bytes = Buffer.from(await c.req.arrayBuffer());
    const md5 = createHash("md5").update(bytes).digest("base64");
    const asSigned =
      file?.size === bytes.length &&
      file.md5 === md5 &&
      c.req.header("content-md5") === md5 &&
      c.req.header("content-type") === file.contentType;
    const failed = fault("PUT");
    if (failed !== undefined) return failed;
    if (!asSigned) return c.text("signature mismatch", 403);
    stored.set(name, bytes);
    return c.body(null, 200);
  });
  app.use("/callbacks/:key/*", async (c, next) => {
    if (c.req.header("authorization") !== `Bearer ${TOKEN}`) return c.json({ error: "unauthorized" }, 401);
    if (lost.has(c.req.param("key"))) return c.json({ error: "lease_lost" }, 409);
    return next();
  });
  app.post("/callbacks/:key/outputs", async (c) => {
    const { files } = OutputsRequest.parse(await c.req.json());
    const key = c.req.param("key");
    const failed = fault("outputs");
    if (failed !== undefined) return failed;
    const foreign = key.startsWith("foreign") ? "http://127.0.0.2:1" : origin;
    const uploads = files.map((file) => {
      granted.set(`${key}/${file.name}`, file);
      const headers = { "content-type": file.contentType, "content-md5": file.md5 };
      return { name: file.name, url: `${foreign}/storage/${key}/${file.name}?signature=secret`, headers };
    });
    return c.json({ uploads });
  });
  app.post("/callbacks/:key/progress", async (c) => {
    const report = ProgressReport.parse(await c.req.json());
    const key = c.req.param("key");
    progress.set(key, [...(progress.get(key) ?? []), report]);
    return fault("progress") ?? c.json({ deadline: Date.now() + 30_000 });
  });
  app.post("/callbacks/:key/complete", async (c) => {
    const completion = Completion.parse(await c.req.json());
    const failed = fault("complete");
    if (failed !== undefined) return failed;
    const key = c.req.param("key");
    completions.set(key, [...(completions.get(key) ?? []), completion]);
    waiters.get(key)?.(completion);
    return c.body(null, 204);
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  const server: ServerType = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (info) =>
    resolve(info.port),
  );
  const origin = `http://127.0.0.1:${await promise}`;
  let count = 0;
  const addressed = (key: string) => ({
    key,
    lane: "interactive" as const,
    account: "acct_1",
    acceptedAt: Date.now(),
    prompts: ["bright"],
    generatePreview: false,
    callbackUrl: `${origin}/callbacks/${key}`,
    callbackToken: TOKEN,
    deadline: Date.now() + 30_000,
  });
  return {
    origin,
    inputs,
    answers,
    stored,
    completions,
    progress,
    lost,
    request: (overrides = {}) => ({
      ...addressed(overrides.key ?? `task-${++count}`),
      type: "image",
      inputUrl: `${origin}/inputs/bright.png?signature=secret`,
      limits: { inputBytes: 1_000_000, inputPixels: 4_000_000, masks: 100 },
      threshold: 0.5,
      maskThreshold: 0.5,
      ...overrides,
    }),
    videoRequest: (overrides = {}) => ({
      ...addressed(overrides.key ?? `task-${++count}`),
      type: "video",
      inputUrl: `${origin}/inputs/clip.mp4?signature=secret`,
      limits: { inputBytes: 50_000_000, inputPixels: 9_000_000, seconds: 1_200, frames: 3_600 },
      scoreThreshold: 0,
      sampling: { fps: null, numFrames: null, maxFrames: null },
      ...overrides,
    }),
    completed: (key) => {
      const [already] = completions.get(key) ?? [];
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((done) => waiters.set(key, done));
    },
    failNext: (route, ...statuses) => {
      faults.set(route, statuses);
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
