import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Logger } from "pino";
import {
  DecoderRequest,
  ResultFormat,
  type ModelDescription,
  PROTOCOL,
  PROTOCOL_HEADER,
  type RoomAnswer,
  RoomRequest,
  TaskRequest,
} from "@segmentation/protocol";
import type { DeviceState } from "../supervisor/engines.ts";
import type { ModelInfo } from "../messages.ts";
import type { Metrics } from "../metrics.ts";
import type { DecoderUpload } from "../tasks/put-decoder.ts";
import type { TaskRegistry } from "../tasks/task-registry.ts";
import { RETRY_FULL_SECONDS } from "../tasks/lanes.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";

const BODY_BYTES = 262_144;
const RETRY_NOT_READY_SECONDS = 5;

export type ServiceState = "STARTING" | "READY" | "BUSY" | "UNABLE" | "DRAINING";

export interface AppParts {
  readonly registry: TaskRegistry;
  readonly decoderUpload: DecoderUpload;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly token: string | undefined;
  readonly storageOrigins: ReadonlySet<string>;
  readonly callbackOrigins: ReadonlySet<string>;
  readonly state: () => ServiceState;
  readonly model: () => ModelInfo | undefined;
  readonly devices: () => readonly DeviceState[];
  /** True if this service can process videos. */
  readonly videos: boolean;
}

/** The service's HTTP interface: the protocol under /v1; health, readiness and metrics for operators. */
export function createApp(parts: AppParts): Hono {
  const { registry, log, metrics, state, model } = parts;
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ status: "ok" }));
  app.get("/readyz", (c) => {
    const now = state();
    const loaded = model();
    const devices = parts.devices();
    const answer = {
      state: now,
      tasks: registry.size,
      ...(loaded !== undefined && { model: publicOf(loaded) }),
      ...(devices.length > 1 && { devices }),
    };
    return c.json(answer, now === "READY" || now === "BUSY" ? 200 : 503);
  });
  app.get("/metrics", async (c) =>
    c.body(await metrics.render(), 200, { "content-type": metrics.contentType }),
  );
  app.use("/v1/*", bearer(parts.token));
  app.get("/v1/model", (c) => {
    const loaded = model();
    return loaded === undefined
      ? c.json(NOT_READY.STARTING, 503)
      : c.json(describeModel(loaded, parts.videos));
  });
  const bounded = bodyLimit({
    maxSize: BODY_BYTES,
    // The server closes the connection after a body that it does not read to its end, and says so.
    onError: (c) => c.json(TOO_LARGE, 413, { connection: "close" }),
  });
  // Checked before the body, which another version may not understand.
  const sameProtocol = createMiddleware(async (c, next) => {
    const worker = c.req.header(PROTOCOL_HEADER);
    if (worker === undefined || worker === String(PROTOCOL)) return next();
    log.warn({ worker, service: PROTOCOL }, "protocol_mismatch");
    metrics.refusals.inc({ status: 412 });
    return c.json(OTHER_PROTOCOL, 412, { connection: "close" });
  });
  app.post("/v1/tasks", sameProtocol, bounded, async (c) => {
    const refuse = (status: 403 | 409 | 429 | 503, answer: Problem, retrySeconds?: number) => {
      metrics.refusals.inc({ status });
      if (retrySeconds !== undefined) c.header("retry-after", String(retrySeconds));
      return c.json(answer, status);
    };
    const body: unknown = await c.req.json().catch(() => undefined);
    // Checked after the body: a drain that begins in between would leave the task waiting.
    const now = state();
    const parsed = TaskRequest.safeParse(body);
    if (!parsed.success) return c.json(problem("invalid_request", describe(parsed.error.issues)), 400);
    const foreign = foreignOrigin(parsed.data, parts);
    if (foreign !== undefined) {
      // This is the operator's mistake, not the task's: the Worker keeps the task until the setting is right.
      log.warn({ reason: foreign.message }, foreign.error);
      return refuse(403, foreign);
    }
    if (registry.isCancelled(parsed.data.key)) return refuse(409, CANCELLED);
    const known = registry.state(parsed.data.key);
    if (known !== undefined) return c.json(known, 202);
    if (now === "DRAINING" || now === "STARTING" || now === "UNABLE")
      return refuse(503, NOT_READY[now], RETRY_NOT_READY_SECONDS);
    const accepted = registry.submit(parsed.data);
    if (accepted === undefined) return refuse(429, LANE_FULL, RETRY_FULL_SECONDS);
    return c.json(accepted, 202);
  });
  app.post("/v1/decoder", sameProtocol, bounded, async (c) => {
    const parsed = DecoderRequest.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return c.json(problem("invalid_request", describe(parsed.error.issues)), 400);
    if (!parts.storageOrigins.has(new URL(parsed.data.url).origin)) return c.json(FOREIGN_DECODER, 403);
    const decoder = model()?.decoder;
    if (decoder?.sha256 !== parsed.data.sha256) return c.json(OTHER_DECODER, 409);
    parts.decoderUpload.begin(decoder.file, parsed.data);
    return c.body(null, 202);
  });
  app.post("/v1/room", sameProtocol, bounded, async (c) => {
    const now = state();
    if (now === "DRAINING" || now === "STARTING" || now === "UNABLE") {
      c.header("retry-after", String(RETRY_NOT_READY_SECONDS));
      return c.json(NOT_READY[now], 503);
    }
    const parsed = RoomRequest.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return c.json(problem("invalid_request", describe(parsed.error.issues)), 400);
    return c.json({ room: registry.room(parsed.data.tasks) } satisfies RoomAnswer);
  });
  app.get("/v1/tasks/:key", (c) => {
    const found = registry.state(c.req.param("key"));
    return found === undefined ? c.json(UNKNOWN_TASK, 404) : c.json(found);
  });
  app.delete("/v1/tasks/:key", (c) => {
    registry.cancel(c.req.param("key"));
    return c.body(null, 204);
  });
  app.notFound((c) => c.json(problem("not_found", "There is nothing at this path. Check the path."), 404));
  app.onError((error, c) => {
    log.error({ detail: error.stack }, "http_error");
    return c.json(problem("internal_error", "The service failed unexpectedly. Its log says why."), 500);
  });
  return app;
}

/** Describes a loaded model in the protocol. @param videos true if this service can process videos */
export function describeModel(loaded: ModelInfo, videos: boolean): ModelDescription {
  const { fallback: _, decoder, ...described } = loaded;
  return {
    ...described,
    protocol: PROTOCOL,
    formats: ResultFormat.options.filter((format) => decoder !== undefined || format !== "embedding"),
    ...(decoder !== undefined && { decoder: { sha256: decoder.sha256, bytes: decoder.bytes } }),
    capabilities: { types: videos ? ["image", "video"] : ["image"], preview: true },
  };
}

/** The public facts about a model; only the log says why its provider is not the configured one. */
const publicOf = ({ id, version, provider }: ModelInfo) => ({ id, version, provider });

interface Problem {
  readonly error: string;
  readonly message: string;
}

const problem = (error: string, message: string): Problem => ({ error, message });

const NOT_READY = {
  DRAINING: problem("draining", "The service is stopping. Try again later."),
  STARTING: problem("not_ready", "The model is still loading. Try again later."),
  UNABLE: problem("model_unable", "The server that has the model is not ready. Try again later."),
};
const OTHER_PROTOCOL = problem(
  "protocol_mismatch",
  `This service speaks version ${PROTOCOL} of the protocol, and the Worker another. Deploy matching versions.`,
);
const LANE_FULL = problem("lane_full", "The lane's queue is full. Try again later.");
const FOREIGN_DECODER = problem(
  "origin_not_allowed",
  "The origin of url is missing in STORAGE_ORIGINS. Add it there.",
);
const OTHER_DECODER = problem(
  "other_decoder",
  "The loaded model has no decoder with this digest. Ask for the model again.",
);
const CANCELLED = problem("cancelled", "The task was canceled. Offer it again under a new key.");
const UNKNOWN_TASK = problem(
  "task_not_found",
  "The service knows no task with this key, or has forgotten it. Check the key.",
);
const TOO_LARGE = problem(
  "body_too_large",
  `A task's body may have at most ${BODY_BYTES / 1_024} KB. Send fewer or shorter prompts.`,
);

/** Names the fields, never their values: those hold signed URLs. */
function describe(issues: readonly { path: readonly PropertyKey[]; code: string }[]): string {
  const fields = issues.map(({ path, code }) => `${path.map(String).join(".") || "body"} (${code})`);
  return `The task is invalid: ${fields.slice(0, 10).join(", ")}. Correct it, or deploy matching versions of Worker and service.`;
}

function foreignOrigin(request: TaskRequest, { storageOrigins, callbackOrigins }: AppParts) {
  const { inputUrl, callbackUrl } = request;
  const priorMasks = request.type === "image" ? (request.priorMasks ?? []) : [];
  const fetched = [
    ["inputUrl", inputUrl] as const,
    ...priorMasks.map(({ url }, at) => [`priorMasks.${at}.url`, url] as const),
  ];
  const foreign = fetched.find(([, url]) => !storageOrigins.has(new URL(url).origin));
  if (foreign !== undefined) {
    return problem(
      "origin_not_allowed",
      `The origin of ${foreign[0]} is missing in STORAGE_ORIGINS. Add it there.`,
    );
  }
  if (!callbackOrigins.has(new URL(callbackUrl).origin)) {
    return problem(
      "origin_not_allowed",
      "The origin of callbackUrl is missing in CALLBACK_ORIGINS. Add it there.",
    );
  }
  return undefined;
}

/** Lets only requests with the token through, or all if there is none. Compares digests: timing reveals nothing. */
function bearer(token: string | undefined) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return createMiddleware(async (c, next) => {
    if (expected !== undefined && !timingSafeEqual(digest(c.req.header("authorization") ?? ""), expected)) {
      c.header("www-authenticate", "Bearer");
      return c.json(
        {
          error: "unauthorized",
          message: "The token is missing or wrong. Send INFERENCE_TOKEN as Authorization: Bearer.",
        },
        401,
      );
    }
    return next();
  });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
