import { env } from "cloudflare:workers";
import { expect, describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { finishJob, PlayedInference } from "../../support/worker/inference.ts";
import { imageJob, listedJobs, newJob, presign, uploads } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJob 409", () => {
  it("refuses a task that was presigned and never uploaded", async () => {
    const client = await newClient();
    const tasks = [...(await uploads(client, 2)), await presign(client)];
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "upload_incomplete");
    expect(answer.body.message).toContain(tasks[2]);
    expect(await listedJobs()).toBe(0);
  });

  it("refuses a trial account a second job while one is under way, and names it", async () => {
    const inference = new PlayedInference();
    const client = await newClient("trial");
    const { jobId, tasks } = await newJob(client);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "active_job_exists");
    expect(answer.body.activeJobId).toBe(jobId);

    await finishJob(inference, client.accountId, jobId, tasks);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("success");
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("lets exactly one of many concurrent jobs of a trial account through", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    const taken = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 409);
    expect([taken.length, refused.length]).toEqual([1, 19]);
    for (const { body } of refused) expect(body.activeJobId).toBe(taken[0]?.body.jobId);
    expect(await listedJobs()).toBe(1);
  });

  it("refuses a paid account more jobs under way than the setting allows", async () => {
    const client = await newClient();
    const now = Date.now();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO jobs (id, account_id, type, mode, total_items, status, created_at, updated_at)
       SELECT 'job_' || i, ?1, 'image', 'single', 1, 'queued', ?2, ?2 FROM n`,
    )
      .bind(client.accountId, now)
      .run();
    const tasks = await uploads(client, 1);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 409, "too_many_active_jobs");
  });
});
