import { Hono } from "hono";
import { z } from "zod";
import type { FinishedJob } from "../../../src/core/jobs/answers.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { respondWithJson } from "../../../src/http/json-stream.ts";
import { platformOf, type Platform } from "../../../src/platform.ts";
import { retrieveJobResult } from "../../../src/services/operations/retrieve-job-result.ts";
import { bucketSettingsOf } from "../../../src/settings.ts";
import { formerResult } from "../result/former-result.ts";
import { largeCompletion, largeJob } from "../result/large-job.ts";

export { JobObject } from "../../../src/workers/job-object.ts";

/** Runs in the Workers runtime: makes a job of many masks, and answers with its result in the present and the former way. */

const EXPIRES_IN = 900;
const definition = largeJob();
const account = {
  accountId: definition.accountId,
  accessMode: "paid",
  emailVerified: true,
  unitsPerDay: null,
} as const;
const { jobId } = definition;

/** Lists the job and takes its tasks to their end. */
async function makeJob(platform: Platform): Promise<void> {
  const { taskIds } = definition;
  const job = platform.jobObject(jobId);
  await job.prepare({ ...definition, createdAt: Date.now() });
  const offer = { version: "none", tokens: 0, days: 0 };
  const limits = { maxActiveJobs: 1, maxTrialBacklog: 0, maxUnitsPerDay: null, maxTasksPerDay: 1_000_000 };
  await platform.jobs.insert(definition, { ...limits, units: taskIds.length, fund: "paid", offer });
  await job.accept();
  for (const taskId of taskIds) {
    const claim = await job.claimTask(taskId);
    if (claim === null) throw new Error("a task could not be claimed");
    await job.completeTask(taskId, claim.lease, largeCompletion());
  }
}

async function finishedJob(platform: Platform): Promise<FinishedJob> {
  const job = await platform.jobObject(jobId).result(account.accountId);
  if (job === null || job === "not_ready") throw new Error("the job has no result");
  return job;
}

const Fill = z.object({ statements: z.array(z.string()) });

export default new Hono<AppEnv>()
  .post("/fill", async (c) => {
    const { statements } = Fill.parse(await c.req.json());
    for (const statement of statements) await c.env.DB.prepare(statement).run();
    await c.env.DB.prepare(
      "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, 'a@example.com', 'paid', 0, 0)",
    )
      .bind(account.accountId)
      .run();
    await makeJob(platformOf(c.env));
    return c.json(null);
  })
  /** Only what crosses from the JobObject to the Worker. */
  .get("/rpc", async (c) => c.text(String((await finishedJob(platformOf(c.env))).tasks.length)))
  .get("/present", async (c) =>
    respondWithJson(c, await retrieveJobResult(platformOf(c.env), account, jobId)),
  )
  .get("/former", async (c) => {
    const platform = platformOf(c.env);
    const { endpoint, name, ...credentials } = bucketSettingsOf(platform.settings);
    const bucket = { ...credentials, url: `${endpoint}/${name}` };
    return c.json(await formerResult(await finishedJob(platform), bucket, EXPIRES_IN));
  });
