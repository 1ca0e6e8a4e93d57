import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { streamSSE } from "hono/streaming";
import type { JobStatus } from "segmentation-client";
import type { AccountAccess } from "../../../src/accounts/contract/account.ts";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import {
  CompleteUploadRequest,
  ImportRequest,
  MultipartUploadRequest,
  PresignRequest,
} from "../../../src/uploads/contract/upload.ts";
import { partSizesOf } from "../../../src/uploads/rules/parts.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../../../src/shared/errors.ts";
import { cocoOf } from "./played-coco.ts";
import { maskFile, ring } from "./shapes.ts";

/** What the played service can do beside the fourteen operations, and how long its jobs take. */
export interface Play {
  /** `GET …/events`. */
  readonly events?: boolean;
  /** `Prefer: wait`. */
  readonly prefer?: boolean;
  /** How often a job's status is returned before it has ended. */
  readonly looks?: number;
  /** Whether tasks end one after the other, at each look one more; otherwise all at the last. */
  readonly oneByOne?: boolean;
  /** What the account may do, where it is not all. */
  readonly access?: Partial<AccountAccess>;
}

interface Job {
  readonly jobId: string;
  readonly request: ReturnType<typeof CreateJobRequest.parse>;
  looks: number;
  isCancelled: boolean;
  archiveLooks: number | null;
}

/** The text that a picture begins with for a task that fails. */
export const NOT_A_PICTURE = "This is no picture.";
/** The text of a file that no job takes. */
export const TOO_LARGE = "This is too large.";

const CREATED_AT = "2026-11-20T09:30:00.000Z";
const ACCOUNT = {
  accountId: "acct_played",
  email: "ada@example.com",
  emailVerified: true,
  image: null,
  name: "Ada",
  status: "active",
};
const SIGNED_FOR_SECONDS = 900;

/**
 * A service of the contract that finds the same ring in every picture whose bytes are the same: `ring(n, i)` for its
 * prompt i, where n is the sum of its bytes. It keeps what it is given, and says where it was asked.
 */
export function playService(play: Play = {}) {
  const { events = true, prefer = true, looks = 3, oneByOne = false, access = {} } = play;
  const uploads = new Map<string, { readonly contentType: string; bytes: Uint8Array | null }>();
  /** The taskIds of uploads in parts by their keys, and the parts that came. */
  const multiparts = new Map<string, string>();
  const parts = new Map<string, Uint8Array<ArrayBuffer>[]>();
  const jobs = new Map<string, Job>();
  const answered = new Map<string, { readonly body: string; readonly answer: object }>();
  const asked: string[] = [];
  /** Hosts from which it fetches nothing. */
  const forbids = new Set(["private.test"]);
  /** How createJob answers next, each with the seconds of its Retry-After. */
  const refusals: [ErrorCode, number][] = [];
  const app = new Hono();

  const overview = {
    tokenUsageLast24h: 0,
    billing: {},
    access: {
      mode: "paid",
      reason: "paid_access",
      canCreateJobs: true,
      videoAllowed: true,
      downloadsAllowed: true,
      maxImageTasksPerJob: 100,
      maxActiveJobs: 1_000,
      ...access,
    },
    trial: {
      offerVersion: "v1",
      status: "eligible",
      grantTokens: 100,
      consumedTokens: 0,
      remainingTokens: 100,
      durationDays: 14,
      startedAt: null,
      expiresAt: null,
      activeJobId: null,
    },
  };

  const refuse = (c: Context, code: ErrorCode, hints: object = {}) =>
    c.json({ error: code, message: ERROR_CATALOGUE[code][1], ...hints }, ERROR_CATALOGUE[code][0]);
  const sumOf = (taskId: string): number =>
    [...(uploads.get(taskId)?.bytes ?? [])].reduce((sum, byte) => sum + byte, 0);
  const textOf = (taskId: string): string =>
    new TextDecoder().decode(uploads.get(taskId)?.bytes ?? undefined);
  const isBroken = (taskId: string): boolean => textOf(taskId).startsWith(NOT_A_PICTURE);
  const problem = "not_an_image: The file is a text. Upload a picture.";

  function statusOf(job: Job): JobStatus {
    const { jobId, request } = job;
    const hasEnded = job.looks <= 0;
    const tasks = request.tasks.map((taskId, i) => {
      if (job.isCancelled) return { taskId, status: "failed" as const, error: "canceled: It was canceled." };
      if (!hasEnded && !(oneByOne && i < looks - job.looks))
        return { taskId, status: "processing" as const, error: null };
      return isBroken(taskId)
        ? { taskId, status: "failed" as const, error: problem }
        : { taskId, status: "success" as const, error: null };
    });
    const failed = tasks.every(({ status }) => status === "failed");
    return {
      jobId,
      type: request.type,
      processingMode: request.type === "video" ? "video" : tasks.length > 1 ? "batch" : "single",
      status: failed ? "failed" : hasEnded ? "success" : "processing",
      totalItems: tasks.length,
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
      error: failed ? (tasks[0]?.error ?? null) : null,
      tasks,
    };
  }
  const progressOf = (job: Job): string => (job.looks <= 0 ? "1.00" : (1 / (1 + job.looks)).toFixed(2));

  app.use(
    cors({
      origin: "*",
      exposeHeaders: ["etag", "x-request-id", "retry-after", "x-job-progress", "preference-applied"],
    }),
  );
  app.use(async (c, next) => {
    asked.push(`${c.req.method} ${c.req.path}`);
    await next();
    c.res.headers.set("x-request-id", crypto.randomUUID());
  });
  app.use("/v1/*", async (c, next) => {
    if (c.req.header("authorization") !== "Bearer sk_live_played") return refuse(c, "Unauthorized");
    return await next();
  });

  app.get("/v1/account", (c) => c.json(ACCOUNT));
  app.get("/v1/account/overview", (c) => c.json(overview));
  app.post("/v1/uploads/presign", async (c) => {
    const { contentType } = PresignRequest.parse(await c.req.json());
    const taskId = `${crypto.randomUUID()}.${contentType.split("/")[1] ?? "bin"}`;
    uploads.set(taskId, { contentType, bytes: null });
    const uploadUrl = new URL(`/storage/inputs/${taskId}?signature=good`, originOf(c)).href;
    return c.json({ uploadUrl, taskId, bucket: "played", expiresIn: 300 });
  });
  app.post("/v1/uploads/parts", async (c) => {
    const { contentType, size } = MultipartUploadRequest.parse(await c.req.json());
    const key = c.req.header("idempotency-key") ?? crypto.randomUUID();
    const taskId = multiparts.get(key) ?? `${crypto.randomUUID()}.${contentType.split("/")[1] ?? "bin"}`;
    multiparts.set(key, taskId);
    const { bytes = null } = uploads.get(taskId) ?? {};
    uploads.set(taskId, { contentType, bytes });
    const urlOf = (part: number) => `/storage/inputs/${taskId}?signature=good&partNumber=${part}&uploadId=u`;
    const sizes = bytes === null ? partSizesOf(size) : [];
    return c.json(
      {
        taskId,
        parts: sizes.map((each, i) => ({
          partNumber: i + 1,
          size: each,
          uploadUrl: new URL(urlOf(i + 1), originOf(c)).href,
        })),
        expiresIn: 3_600,
      },
      201,
    );
  });
  app.post("/v1/uploads/:taskId/complete", async (c) => {
    const taskId = c.req.param("taskId");
    const upload = uploads.get(taskId);
    const sent = parts.get(taskId) ?? [];
    const named = CompleteUploadRequest.parse(await c.req.json()).parts;
    if (upload === undefined) return refuse(c, "upload_not_found");
    if (named.some(({ etag, partNumber }) => etag !== etagOf(sent[partNumber - 1])))
      return refuse(c, "upload_incomplete");
    upload.bytes ??= new Uint8Array(Buffer.concat(sent));
    return c.json({ taskId, size: upload.bytes.length });
  });
  app.post("/v1/uploads/import", async (c) => {
    const { url } = ImportRequest.parse(await c.req.json());
    if (forbids.has(new URL(url).hostname)) return refuse(c, "url_forbidden");
    const taskId = `${crypto.randomUUID()}.png`;
    const bytes = new TextEncoder().encode(url);
    uploads.set(taskId, { contentType: "image/png", bytes });
    return c.json({ taskId, contentType: "image/png", size: bytes.length }, 201);
  });
  app.put("/storage/inputs/:taskId", async (c) => {
    const upload = uploads.get(c.req.param("taskId"));
    const part = Number(c.req.query("partNumber"));
    if (part > 0) {
      const sent = new Uint8Array(await c.req.arrayBuffer());
      const all = parts.get(c.req.param("taskId")) ?? [];
      parts.set(c.req.param("taskId"), Object.assign(all, { [part - 1]: sent }));
      return c.body(null, 200, { etag: etagOf(sent) });
    }
    if (
      upload === undefined ||
      c.req.query("signature") !== "good" ||
      upload.contentType !== c.req.header("content-type")
    )
      return c.text("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403);
    if (c.req.header("content-length") === undefined)
      return c.text("<Error><Code>MissingContentLength</Code></Error>", 411);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length !== Number(c.req.header("content-length")))
      return c.text("<Error>IncompleteBody</Error>", 400);
    upload.bytes = bytes;
    return c.body(null, 200);
  });

  app.post("/v1/jobs", async (c) => {
    const body = await c.req.text();
    const key = c.req.header("idempotency-key");
    const before = key === undefined ? undefined : answered.get(key);
    if (before !== undefined)
      return before.body === body ? c.json(before.answer, 202) : refuse(c, "idempotency_mismatch");
    const [refused, retryAfterSeconds] = refusals.shift() ?? [];
    if (refused !== undefined) return refuse(c, refused, { retryAfterSeconds });
    const parsed = CreateJobRequest.safeParse(JSON.parse(body));
    if (!parsed.success) return refuse(c, "invalid_request");
    const { data: request } = parsed;
    if (!request.tasks.every((taskId) => uploads.has(taskId))) return refuse(c, "task_not_owned");
    if (!request.tasks.every((taskId) => uploads.get(taskId)?.bytes)) return refuse(c, "upload_incomplete");
    if (request.tasks.some((taskId) => textOf(taskId) === TOO_LARGE)) return refuse(c, "upload_too_large");
    const jobId = `job_${String(jobs.size).padStart(6, "0")}`;
    jobs.set(jobId, { jobId, request, looks, isCancelled: false, archiveLooks: null });
    const answer = { jobId, type: request.type, totalItems: request.tasks.length };
    if (key !== undefined) answered.set(key, { body, answer });
    return c.json(answer, 202);
  });
  app.get("/v1/jobs", (c) => {
    const from = Number(c.req.query("nextToken") ?? 0);
    const limit = Number(c.req.query("limit") ?? 25);
    const newest = [...jobs.values()].toReversed().map((job) => {
      const { tasks: _, ...summary } = statusOf(job);
      return summary;
    });
    const nextToken = from + limit < newest.length ? String(from + limit) : null;
    return c.json({ items: newest.slice(from, from + limit), nextToken });
  });
  app.use("/v1/jobs/:jobId/*", async (c, next) =>
    jobs.has(c.req.param("jobId")) ? await next() : refuse(c, "job_not_found"),
  );
  const jobOf = (c: Context): Job => {
    const job = jobs.get(c.req.param("jobId") ?? "");
    if (job === undefined) throw new Error("The job is looked up before.");
    return job;
  };
  app.get("/v1/jobs/:jobId", (c) => {
    if (!jobs.has(c.req.param("jobId"))) return refuse(c, "job_not_found");
    const job = jobOf(c);
    if (prefer && c.req.header("prefer") !== undefined) {
      job.looks = 0;
      c.header("preference-applied", c.req.header("prefer"));
    }
    job.looks--;
    c.header("x-job-progress", progressOf(job));
    return c.json(statusOf(job));
  });
  if (events)
    app.get("/v1/jobs/:jobId/events", (c) => {
      const job = jobOf(c);
      return streamSSE(c, async (stream) => {
        for (; job.looks > 0; job.looks--) {
          await stream.writeSSE({
            event: "status",
            id: String(10 - job.looks),
            data: JSON.stringify(statusOf(job)),
          });
          await stream.writeSSE({
            event: "progress",
            data: JSON.stringify({ progress: Number(progressOf(job)) }),
          });
        }
        await stream.writeSSE({ event: "end", id: "10", data: JSON.stringify(statusOf(job)) });
      });
    });
  app.post("/v1/jobs/:jobId/cancel", (c) => {
    const job = jobOf(c);
    if (job.looks > 0) Object.assign(job, { looks: 0, isCancelled: true });
    return c.json(statusOf(job));
  });

  app.get("/v1/jobs/:jobId/result", (c) => {
    const { jobId, request } = jobOf(c);
    const status = statusOf(jobOf(c));
    if (status.status !== "success") return refuse(c, "job_not_ready");
    const assets: { key: string; url: string; expiresIn: number }[] = [];
    const sign = (key: string): string => {
      const url = new URL(
        `/storage/outputs/${jobId}/${key}?until=${Date.now() + SIGNED_FOR_SECONDS * 1_000}`,
        originOf(c),
      ).href;
      assets.push({ key, url, expiresIn: SIGNED_FOR_SECONDS });
      return url;
    };
    const ended = status.tasks.filter((task) => task.status === "success");
    const base = (taskId: string) => ({ taskId, inputId: taskId, units: 1, generatedAt: CREATED_AT });
    const preview = (taskId: string, ending: string) =>
      request.generatePreview ? { previewUrl: sign(`preview/${taskId}.${ending}`) } : {};
    if (request.formats?.includes("coco")) for (const { taskId } of ended) sign(`annotations/${taskId}.json`);
    const items =
      request.type === "image"
        ? ended.map(({ taskId }) => ({
            ...base(taskId),
            masks: namesOf(request, taskId).map((_, maskIndex) => ({
              maskIndex,
              confidence: 0.9 - maskIndex / 10,
              url: sign(`masks/${taskId}/${maskIndex}.png`),
            })),
            ...preview(taskId, "png"),
          }))
        : ended.map(({ taskId }) => ({
            ...base(taskId),
            masks: sign(`masks/${taskId}/masks.json`),
            scoreThreshold: 0,
            counts: { framesProcessed: 2, framesWithMasks: 2, totalMasks: 3 },
            ...preview(taskId, "mp4"),
          }));
    const manifest = { jobId, type: request.type, prompts: request.prompts ?? [], items };
    return c.json({ manifest, assets, expiresIn: SIGNED_FOR_SECONDS });
  });
  app.get("/storage/outputs/:jobId/:kind/:file{.+}", (c) => {
    const { request } = jobOf(c);
    if (Date.now() > Number(c.req.query("until")))
      return c.text("<Error><Code>ExpiredRequest</Code></Error>", 403);
    const [taskId = "", file = ""] = c.req.param("file").split("/");
    if (c.req.param("kind") === "preview") return c.body("a preview", 200, { "content-type": "image/png" });
    if (c.req.param("kind") === "annotations") {
      const id = taskId.replace(/\.json$/, "");
      const names = namesOf(request, id).map(({ keyword, text, label = keyword }) =>
        keyword === "prompt" ? text : label,
      );
      return c.json(cocoOf(id, request.type, names, sumOf(id)));
    }
    if (file === "masks.json") return c.json(masksJson(sumOf(taskId), namesOf(request, taskId)));
    const index = Number(file.split(".")[0]);
    const { keyword = "prompt", text = "", label } = namesOf(request, taskId)[index] ?? {};
    const png = maskFile(ring(sumOf(taskId), index), text, keyword, label);
    return c.body(png, 200, { "content-type": "image/png" });
  });

  const archiveOf = (c: Context) => {
    const job = jobOf(c);
    const ready = job.archiveLooks === 0;
    return {
      jobId: job.jobId,
      status: ready ? "ready" : "pending",
      expiresAt: null,
      downloadUrl: ready
        ? new URL(`/storage/outputs/${job.jobId}/preview/archive.zip?until=9999999999999`, originOf(c)).href
        : null,
      retryAfterSeconds: ready ? null : 1,
      error: null,
    };
  };
  app.post("/v1/jobs/:jobId/download", (c) => {
    jobOf(c).archiveLooks ??= 1;
    return c.json(archiveOf(c), 202);
  });
  app.get("/v1/jobs/:jobId/download", (c) => {
    const job = jobOf(c);
    if (job.archiveLooks === null) return refuse(c, "download_not_requested");
    if (prefer && c.req.header("prefer") !== undefined) {
      job.archiveLooks = 0;
      c.header("preference-applied", c.req.header("prefer"));
    }
    const answer = archiveOf(c);
    job.archiveLooks = 0;
    return c.json(answer);
  });
  app.notFound((c) => refuse(c, "not_found"));

  return { app, jobs, uploads, asked, forbids, refusals };
}

export type PlayedService = ReturnType<typeof playService>;

/** What each mask of a task answers: the prompts, then its regions by their places in the request. */
function namesOf(
  request: Job["request"],
  taskId: string,
): readonly { readonly keyword: "prompt" | "region"; readonly text: string; readonly label?: string }[] {
  const { regions = [] } = request;
  return [
    ...(request.prompts ?? []).map((text) => ({ keyword: "prompt" as const, text })),
    ...regions.flatMap((region, i) =>
      region.taskId === taskId
        ? [
            {
              keyword: "region" as const,
              text: String(i),
              ...(region.label !== undefined && { label: region.label }),
            },
          ]
        : [],
    ),
  ];
}

/** As S3 names a part. */
const etagOf = (bytes: Uint8Array = new Uint8Array()): string =>
  `"${createHash("md5").update(bytes).digest("hex")}"`;

/** The address that the client asked: a proxy names its own. */
const originOf = (c: Context): string => c.req.header("x-asked-at") ?? new URL(c.req.url).origin;

/** Two frames in which one ring stays, and another one is seen once: the first two that were asked for. */
function masksJson(number: number, names: ReturnType<typeof namesOf>): object {
  const of = (index: number): object => {
    const { keyword = "prompt", text = "", label } = names[index] ?? {};
    return keyword === "prompt" ? { promptIndex: index } : { regionIndex: Number(text), label };
  };
  const object = (objectId: number, index: number) => ({
    objectId,
    ...of(index),
    score: 0.8,
    box: [1.03, 2.1, 11.23, 22.3],
    rle: { size: [2, 3], counts: "024" },
  });
  return {
    version: 1,
    width: 3,
    height: 2,
    fps: 2,
    frames: [
      { sampleIdx: 0, frameIdx: 0, timeSec: 0, objects: [object(number, 0)] },
      { sampleIdx: 1, frameIdx: 12, timeSec: 0.5, objects: [object(number, 0), object(number + 1, 1)] },
    ],
  };
}
