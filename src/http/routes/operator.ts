import { Hono } from "hono";
import { RelistRequest, StuckJobsQuery } from "../../contract/operator.ts";
import { replayDeadLetters } from "../../services/dead-letters.ts";
import { eraseAccount } from "../../services/erase-account.ts";
import { cancelJob, showJob, stuckJobs, wakeJob } from "../../services/operate-jobs.ts";
import { relistJobs } from "../../services/relist-job.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticateOperator } from "../middleware/authenticate.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

/** What `npm run admin` calls. Not part of the public API: there is no document of it but contract/operator.ts. */
export const operator = new Hono<AppEnv>()
  .use(authenticateOperator)
  .get("/jobs/:jobId", async (c) => c.json(await showJob(platform(c), c.req.param("jobId"))))
  .all("/jobs/:jobId", wrongMethod("GET"))
  .post("/jobs/:jobId/wake", async (c) => c.json(await wakeJob(platform(c), c.req.param("jobId"))))
  .all("/jobs/:jobId/wake", wrongMethod("POST"))
  .post("/jobs/:jobId/cancel", async (c) => c.json(await cancelJob(platform(c), c.req.param("jobId"))))
  .all("/jobs/:jobId/cancel", wrongMethod("POST"))
  .post("/accounts/:accountId/erase", async (c) =>
    c.json(await eraseAccount(platform(c), c.req.param("accountId"), Date.now())),
  )
  .all("/accounts/:accountId/erase", wrongMethod("POST"))
  .get("/stuck-jobs", validate("query", StuckJobsQuery), async (c) =>
    c.json(await stuckJobs(platform(c), c.req.valid("query").hours, Date.now())),
  )
  .all("/stuck-jobs", wrongMethod("GET"))
  .get("/dead-letters", async (c) => c.json({ letters: await platform(c).deadLetters.list() }))
  .all("/dead-letters", wrongMethod("GET"))
  .post("/dead-letters/replay", async (c) => c.json(await replayDeadLetters(platform(c))))
  .all("/dead-letters/replay", wrongMethod("POST"))
  .post("/relist", jsonBody, validate("json", RelistRequest), async (c) => {
    const { objectIds, dryRun } = c.req.valid("json");
    return c.json({ objects: await relistJobs(platform(c), objectIds, dryRun) });
  })
  .all("/relist", wrongMethod("POST"));
