import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { JobObject } from "../../../../../src/jobs/object/job-object.ts";
import { newClient } from "../../../../support/worker/client/api.ts";
import { finishJob, FakeInference } from "../../../../support/worker/fakes/inference.ts";
import { imageJob, listedJobs, newJob, presign, uploads } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf, traces } from "../../../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../../../support/worker/runtime/settings.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

describe("createJob 409", () => {
  it("refuses a task that was presigned and never uploaded [4.3-19 7-7 4.3-30]", async () => {
    const client = await newClient();
    const tasks = [...(await uploads(client, 2)), await presign(client)];
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "upload_incomplete");
    expect(answer.body.message).toContain(tasks[2]);
    expect(await listedJobs()).toBe(0);
  });

  it("refuses a trial account a second job while one is in progress, and names it [4.3-19 7-7 7-12 4.3-36]", async () => {
    const inference = new FakeInference();
    const client = await newClient("trial");
    const { jobId, tasks } = await newJob(client);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "active_job_exists");
    expect(answer.body.activeJobId).toBe(jobId);

    await finishJob(inference, client.accountId, jobId, tasks);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("success");
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("refuses it even while the job in progress can't be asked whether it has ended", async () => {
    const client = await newClient("trial");
    const { jobId, tasks } = await newJob(client);
    vi.spyOn(JobObject.prototype, "sync").mockRejectedValue(new Error("the object was reset"));
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "active_job_exists");
    expect(answer.body.activeJobId).toBe(jobId);
  });

  it("lets exactly one of many concurrent jobs of a trial account through [4.3-36]", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    const taken = answers.filter((answer) => answer.status === 202);
    const refused = answers.filter((answer) => answer.status === 409);
    expect({ taken: taken.length, refused: refused.length }).toEqual({ taken: 1, refused: 9 });
    for (const { body } of refused) expect(body.activeJobId).toBe(taken[0]?.body.jobId);
    expect(await listedJobs()).toBe(1);
    const { body } = await client.send("GET", "/v1/account/overview");
    expect(body.trial).toMatchObject({ consumedTokens: 1, activeJobId: taken[0]?.body.jobId });
  });

  it("lets a trial account have as many jobs in progress as the setting says", async () => {
    overrideSettings({ TRIAL_MAX_ACTIVE_JOBS: 2 });
    const client = await newClient("trial");
    await newJob(client);
    const { jobId, tasks } = await newJob(client);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 409, "active_job_exists");
    expect(answer.body.activeJobId).toBe(jobId);
  });

  it("lets exactly as many concurrent jobs of a paid account through as the setting says [4.3-40]", async () => {
    overrideSettings({ MAX_ACTIVE_JOBS: 5 });
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    const refused = answers.filter((answer) => answer.status !== 202);
    expect({ refused: refused.length, listed: await listedJobs() }).toEqual({ refused: 7, listed: 5 });
    for (const answer of refused) expectError(answer, 409, "too_many_active_jobs");
  });

  it("refuses a paid account more jobs in progress than the setting allows, until one of them has ended [4.3-40]", async () => {
    overrideSettings({ MAX_ACTIVE_JOBS: 2 });
    const inference = new FakeInference();
    const client = await newClient();
    const { jobId, tasks } = await newJob(client);
    await newJob(client);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 409, "too_many_active_jobs");
    await finishJob(inference, client.accountId, jobId, tasks);
    await expect.poll(async () => (await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("is not answered for a listed but unknown job: it is struck from the list", async () => {
    const client = await newClient("trial");
    const { jobId, tasks } = await newJob(client);
    await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.deleteAll());
    await evictDurableObject(env.JOBS.getByName(jobId));
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
    expect(await listedJobs()).toBe(1);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 1],
      ["void", 1],
    ]);
  });

  describe("of an Idempotency-Key", () => {
    const key = { "idempotency-key": "a-client's-own-key" };

    it("refuses another request with a key that was used [4.10-16]", async () => {
      const client = await newClient();
      const tasks = await uploads(client, 2);
      expect((await client.send("POST", "/v1/jobs", imageJob(tasks), key)).status).toBe(202);
      const other = await client.send("POST", "/v1/jobs", imageJob(tasks.slice(1)), key);
      expectError(other, 409, "idempotency_mismatch");
      expect(await listedJobs()).toBe(1);
    });

    it("refuses a request during its duplicate, and never makes a second job of it [4.3-44]", async () => {
      const client = await newClient();
      const tasks = await uploads(client, 1);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => client.send("POST", "/v1/jobs", imageJob(tasks), key)),
      );
      const taken = answers.filter(({ status }) => status === 202);
      expect(new Set(taken.map(({ body }) => body.jobId)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 202)) {
        expectError(answer, 409, "idempotency_in_progress");
        expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
      }
      expect(await traces()).toEqual({ jobs: 1, entries: 1 });
    });
  });
});
