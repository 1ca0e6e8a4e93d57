import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { streamSSE } from "hono/streaming";
import type { JobStatus } from "segmentation-client";
import type { AccountAccess } from "../../../src/accounts/contract/account.ts";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import type { ErrorCode } from "../../../src/shared/errors.ts";
import { fakeAnnotations } from "./fake-annotations.ts";
import { CREATED_AT, type Job, originOf, refuse } from "./fake-answers.ts";
import { fakeResults } from "./fake-results.ts";
import { fakeUploads } from "./fake-uploads.ts";

/** Abilities of the fake service in addition to the fourteen operations, and the length of its jobs. */
export interface FakeOptions {
  /** `GET …/events`. */
  readonly events?: boolean;
  /** `Prefer: wait`. */
  readonly prefer?: boolean;
  /** The number of status requests before a job has ended. */
  readonly looks?: number;
  /** True if tasks end one after the other, one at each status request; otherwise all at the last. */
  readonly oneByOne?: boolean;
  /** Limits of the account. */
  readonly access?: Partial<AccountAccess>;
}

/** The text that a picture begins with for a task that fails. */
export const NOT_A_PICTURE = "This is no picture.";
/** The text of a file that no job takes. */
export const TOO_LARGE = "This is too large.";

const ACCOUNT = {
  accountId: "acct_fake",
  email: "ada@example.com",
  emailVerified: true,
  image: null,
  name: "Ada",
  status: "active",
};

/**
 * A service of the contract that finds the same ring in every picture with the same bytes: `ring(n, i)` for its prompt
 * i, where n is the sum of its bytes. It keeps its inputs, and records its requests.
 */
export function fakeService(play: FakeOptions = {}) {
  const { events = true, prefer = true, looks = 3, oneByOne = false, access = {} } = play;
  const jobs = new Map<string, Job>();
  const answered = new Map<string, { readonly body: string; readonly answer: object }>();
  const asked: string[] = [];
  /** The next refusals of createJob, each with the seconds of its Retry-After. */
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
    if (c.req.header("authorization") !== "Bearer sk_live_fake") return refuse(c, "Unauthorized");
    return await next();
  });

  app.get("/v1/account", (c) => c.json(ACCOUNT));
  app.get("/v1/account/overview", (c) => c.json(overview));
  const { uploads, forbids, sumOf, textOf } = fakeUploads(app);
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

  fakeResults(app, { jobOf, statusOf, sumOf });
  fakeAnnotations(app, jobs);

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

export type FakeService = ReturnType<typeof fakeService>;
