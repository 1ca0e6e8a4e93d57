import { Hono } from "hono";
import { CreateJobRequest, ListJobsQuery } from "../../contract/job.ts";
import { createJob } from "../../services/create-job.ts";
import { createJobDownload, retrieveJobDownload } from "../../services/job-download.ts";
import { listJobs } from "../../services/list-jobs.ts";
import { retrieveJobResult } from "../../services/retrieve-job-result.ts";
import { retrieveJob } from "../../services/retrieve-job.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const jobs = new Hono<AppEnv>()
  .get("/", authenticate, validate("query", ListJobsQuery), async (c) =>
    c.json(await listJobs(platform(c), c.var.account, c.req.valid("query"))),
  )
  .post("/", authenticate, jsonBody, validate("json", CreateJobRequest), async (c) => {
    const accepted = await createJob(platform(c), c.var.account, c.req.valid("json"));
    c.set("jobId", accepted.jobId);
    return c.json(accepted, 202);
  })
  .all("/", wrongMethod("GET, POST"))
  .get("/:jobId", authenticate, async (c) =>
    c.json(await retrieveJob(platform(c), c.var.account, c.req.param("jobId"))),
  )
  .all("/:jobId", wrongMethod("GET"))
  .get("/:jobId/result", authenticate, async (c) =>
    c.json(await retrieveJobResult(platform(c), c.var.account, c.req.param("jobId"))),
  )
  .all("/:jobId/result", wrongMethod("GET"))
  .post("/:jobId/download", authenticate, async (c) =>
    c.json(await createJobDownload(platform(c), c.var.account, c.req.param("jobId")), 202),
  )
  .get("/:jobId/download", authenticate, async (c) =>
    c.json(await retrieveJobDownload(platform(c), c.var.account, c.req.param("jobId"))),
  )
  .all("/:jobId/download", wrongMethod("GET, POST"));
