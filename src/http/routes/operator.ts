import { Hono } from "hono";
import {
  DeleteCopyRequest,
  MoveRequest,
  RelistRequest,
  ResealRequest,
  StuckJobsQuery,
} from "../../operator/contract/operator.ts";
import { backlog } from "../../operator/operations/backlog.ts";
import { listDeadLetters, replayDeadLetters } from "../../operator/operations/dead-letters.ts";
import { eraseEverywhere } from "../../operator/operations/erase-account.ts";
import { deleteCopy, moveAccount } from "../../operator/operations/move-account.ts";
import { cancelJob, showJob, stuckJobs, wakeJob } from "../../operator/operations/operate-jobs.ts";
import { probeAlarm, probeDatabases, probeProtocol } from "../../operator/operations/probe-platform.ts";
import { relistJobs } from "../../operator/operations/relist-job.ts";
import { resealSecrets } from "../../operator/operations/reseal-secrets.ts";
import { addWorker, listWorkers, removeWorker } from "../../operator/operations/workers.ts";
import { AddWorkerRequest } from "../../gateway/contract/workers.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticateOperator } from "../middleware/authenticate.ts";
import { readBody, readQuery } from "../read-request.ts";

/** Routes for `npm run admin` and autoscalers. Not part of the public API: operator/contract/operator.ts is its only document. */
export const operator = new Hono<AppEnv>()
  .use(authenticateOperator)
  .get("/jobs/:jobId", async (c) => c.json(await showJob(platform(c), c.req.param("jobId"))))
  .post("/jobs/:jobId/wake", async (c) => c.json(await wakeJob(platform(c), c.req.param("jobId"))))
  .post("/jobs/:jobId/cancel", async (c) => c.json(await cancelJob(platform(c), c.req.param("jobId"))))
  .post("/accounts/:accountId/erase", async (c) =>
    c.json(await eraseEverywhere(platform(c), c.req.param("accountId"), Date.now())),
  )
  .post("/accounts/:accountId/move", async (c) => {
    const { to, confirmed } = await readBody(c, MoveRequest);
    return c.json(await moveAccount(platform(c), c.req.param("accountId"), to, confirmed));
  })
  .post("/accounts/:accountId/delete-copy", async (c) => {
    const { from, confirmed } = await readBody(c, DeleteCopyRequest);
    return c.json(await deleteCopy(platform(c), c.req.param("accountId"), from, confirmed));
  })
  .get("/backlog", async (c) => c.json(await backlog(platform(c), Date.now())))
  .get("/stuck-jobs", async (c) =>
    c.json(await stuckJobs(platform(c), (await readQuery(c, StuckJobsQuery)).hours, Date.now())),
  )
  .get("/dead-letters", async (c) => c.json(await listDeadLetters(platform(c))))
  .post("/dead-letters/replay", async (c) => c.json(await replayDeadLetters(platform(c))))
  .post("/probe/databases", async (c) => c.json(await probeDatabases(platform(c))))
  .post("/probe/alarm", async (c) => c.json(await probeAlarm(platform(c))))
  .post("/probe/protocol", async (c) => c.json(await probeProtocol(platform(c), Date.now())))
  .get("/workers", async (c) => c.json(await listWorkers(platform(c))))
  .post("/workers", async (c) =>
    c.json(await addWorker(platform(c), (await readBody(c, AddWorkerRequest)).name)),
  )
  .post("/workers/:name/remove", async (c) => c.json(await removeWorker(platform(c), c.req.param("name"))))
  .post("/reseal", async (c) =>
    c.json(await resealSecrets(platform(c), (await readBody(c, ResealRequest)).after)),
  )
  .post("/relist", async (c) => {
    const { objectIds, dryRun } = await readBody(c, RelistRequest);
    return c.json({ objects: await relistJobs(platform(c), objectIds, dryRun) });
  });
