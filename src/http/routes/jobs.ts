import { Hono } from "hono";
import { CreateJobRequest, ListJobsQuery } from "../../contract/job.ts";
import { cancelJob } from "../../services/operations/cancel-job.ts";
import { createJobDownload } from "../../services/operations/create-job-download.ts";
import { createJob } from "../../services/operations/create-job.ts";
import { deleteJob } from "../../services/operations/delete-job.ts";
import { listJobs } from "../../services/operations/list-jobs.ts";
import { retrieveJobDownload } from "../../services/operations/retrieve-job-download.ts";
import { retrieveJobResult } from "../../services/operations/retrieve-job-result.ts";
import { retrieveJob } from "../../services/operations/retrieve-job.ts";
import { streamJobEvents } from "../../services/operations/stream-job-events.ts";
import { platform, type AppEnv } from "../context.ts";
import { respondWithJson } from "../json-stream.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { acceptIdempotencyKey, respondOnce } from "../middleware/idempotency-key.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { askPreferred } from "../preferred-wait.ts";
import { wrongMethod } from "./wrong-method.ts";

export const jobs = new Hono<AppEnv>()
  .get("/", authenticate, validate("query", ListJobsQuery), async (c) =>
    c.json(await listJobs(platform(c), c.var.account, c.req.valid("query"))),
  )
  .post("/", authenticate, acceptIdempotencyKey, jsonBody, validate("json", CreateJobRequest), async (c) => {
    const { account, idempotencyKey } = c.var;
    const job = await createJob(platform(c), account, c.req.valid("json"), idempotencyKey);
    c.set("jobId", job.answer.jobId);
    return respondOnce(c, job, 202);
  })
  .all("/", wrongMethod("GET, POST"))
  .get("/:jobId", authenticate, async (c) => {
    const { status, progress } = await askPreferred(c, (waitSeconds) =>
      retrieveJob(platform(c), c.var.account, c.req.param("jobId"), waitSeconds),
    );
    // A header, because the specification's objects have no room for further fields.
    c.header("x-job-progress", progress.toFixed(2));
    return c.json(status);
  })
  .delete("/:jobId", authenticate, async (c) => {
    await deleteJob(platform(c), c.var.account, c.req.param("jobId"));
    return c.body(null, 204);
  })
  .all("/:jobId", wrongMethod("GET, DELETE"))
  .post("/:jobId/cancel", authenticate, async (c) =>
    c.json(await cancelJob(platform(c), c.var.account, c.req.param("jobId"))),
  )
  .all("/:jobId/cancel", wrongMethod("POST"))
  .get("/:jobId/events", authenticate, async (c) => {
    const { account } = c.var;
    const jobId = c.req.param("jobId");
    const headers = { "content-type": "text/event-stream" };
    if (c.req.method === "HEAD") {
      // Nobody would read the stream, and it would take a place.
      await retrieveJob(platform(c), account, jobId, null);
      return c.body(null, 200, headers);
    }
    const events = await streamJobEvents(platform(c), account, jobId, c.req.header("last-event-id") ?? null);
    return events === null ? c.body(null, 204) : c.body(events, 200, headers);
  })
  .all("/:jobId/events", wrongMethod("GET"))
  .get("/:jobId/result", authenticate, async (c) =>
    respondWithJson(c, await retrieveJobResult(platform(c), c.var.account, c.req.param("jobId"))),
  )
  .all("/:jobId/result", wrongMethod("GET"))
  .post("/:jobId/download", authenticate, async (c) =>
    c.json(await createJobDownload(platform(c), c.var.account, c.req.param("jobId")), 202),
  )
  .get("/:jobId/download", authenticate, async (c) =>
    c.json(
      await askPreferred(c, (waitSeconds) =>
        retrieveJobDownload(platform(c), c.var.account, c.req.param("jobId"), waitSeconds),
      ),
    ),
  )
  .all("/:jobId/download", wrongMethod("GET, POST"));
