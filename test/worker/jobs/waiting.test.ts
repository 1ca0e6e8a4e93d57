import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { deliverArchive, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { finishJob, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectWaiters } from "../../support/worker/fixtures/waiters.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const WAITING = { waits: 1, streams: 0 };
const NOBODY = { waits: 0, streams: 0 };

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const ask = (path: string, prefer: string) => client.send("GET", path, undefined, { prefer });
const appliedOf = ({ headers }: { headers: Headers }) => headers.get("preference-applied");

describe("retrieveJob with `Prefer: wait=N`", () => {
  it("is answered when the job has ended, and says that it waited [A1-1]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    const answer = ask(`/v1/jobs/${jobId}`, "wait=60");
    await expectWaiters(jobId, WAITING);
    const inference = new FakeInference();
    await finishJob(inference, client.accountId, jobId, tasks.slice(0, 1));
    await expectWaiters(jobId, WAITING);
    await finishJob(inference, client.accountId, jobId, tasks.slice(1));
    expect(await answer).toMatchObject({ status: 200, body: { jobId, status: "success" } });
    expect(appliedOf(await answer)).toBe("wait=60");
    expect((await answer).headers.get("x-job-progress")).toBe("1.00");
    expect((await answer).body).toEqual((await client.send("GET", `/v1/jobs/${jobId}`)).body);
    await expectWaiters(jobId, NOBODY);
  });

  it("is answered with the job's state when the time has passed [A1-1]", async () => {
    const { jobId } = await newJob(client);
    const answer = await ask(`/v1/jobs/${jobId}`, "wait=1");
    expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
    expect(appliedOf(answer)).toBe("wait=1");
  });

  it("is answered at once of a job that has ended, with a wait that is cut to 60 [A1-3]", async () => {
    const { jobId } = await successfulJob(client);
    const answer = await ask(`/v1/jobs/${jobId}`, "respond-async, wait=3600");
    expect(answer.body.status).toBe("success");
    expect(appliedOf(answer)).toBe("wait=60");
  });

  it("is answered at once, without the header, if the value is not a number [A1-3]", async () => {
    const { jobId } = await newJob(client);
    for (const prefer of ["wait=soon", "wait", "wait=0", "return=minimal"]) {
      const answer = await ask(`/v1/jobs/${jobId}`, prefer);
      expect([answer.status, appliedOf(answer)], prefer).toEqual([200, null]);
    }
  });

  it("gets 404 at once for a missing job, and as soon as the job is deleted", async () => {
    const absent = await ask(`/v1/jobs/job_${"0".repeat(32)}`, "wait=60");
    expectError(absent, 404, "job_not_found");
    expect(appliedOf(absent)).toBeNull();
    const { jobId } = await newJob(client);
    const foreign = (await newClient()).send("GET", `/v1/jobs/${jobId}`, undefined, { prefer: "wait=60" });
    expectError(await foreign, 404, "job_not_found");
    const answer = ask(`/v1/jobs/${jobId}`, "wait=60");
    await expectWaiters(jobId, WAITING);
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    expectError(await answer, 404, "job_not_found");
  });

  it("continues waiting if the JobObject ends meanwhile [A1-1]", async () => {
    const { jobId, tasks } = await newJob(client);
    const answer = ask(`/v1/jobs/${jobId}`, "wait=60");
    await expectWaiters(jobId, WAITING);
    await abortAllDurableObjects();
    await expectWaiters(jobId, WAITING);
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    expect((await answer).body).toMatchObject({ jobId, status: "success" });
  });

  it("is no slow request in the log: the client's wait does not count", async () => {
    const { jobId, tasks } = await newJob(client);
    const lines = logged();
    const answer = ask(`/v1/jobs/${jobId}`, "wait=60");
    await expectWaiters(jobId, WAITING);
    later(50_000);
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    await answer;
    const line = lines().find(({ operation }) => operation === "retrieveJob");
    expect(line).toMatchObject({ status: 200 });
    expect(Number(line?.["ms"])).toBeLessThan(50_000);
  });
});

describe("retrieveJobDownload with `Prefer: wait=N`", () => {
  it("is answered when the archive is ready [A1-2]", async () => {
    const { jobId } = await successfulJob(client);
    const path = `/v1/jobs/${jobId}/download`;
    await client.send("POST", path);
    const answer = ask(path, "wait=60");
    await expectWaiters(jobId, WAITING);
    await deliverArchive(jobId);
    expect(await answer).toMatchObject({ status: 200, body: { jobId, status: "ready" } });
    expect((await answer).body.downloadUrl).toContain("X-Amz-Signature");
    expect(appliedOf(await answer)).toBe("wait=60");
    expect((await ask(path, "wait=60")).body.status).toBe("ready");
  });

  it("is answered when the archive has failed [A1-2]", async () => {
    const { jobId } = await successfulJob(client);
    const path = `/v1/jobs/${jobId}/download`;
    await client.send("POST", path);
    const claim = await env.JOBS.getByName(jobId).claimArchive();
    const answer = ask(path, "wait=60");
    await expectWaiters(jobId, WAITING);
    const failed = { outcome: "failed", message: "archive_failed: It failed.", retryable: false } as const;
    await env.JOBS.getByName(jobId).completeArchive(claim?.lease ?? 0, failed);
    expect((await answer).body).toMatchObject({ status: "failed", error: failed.message });
  });

  it("is answered with the archive's state when the time has passed [A1-2]", async () => {
    const { jobId } = await successfulJob(client);
    const path = `/v1/jobs/${jobId}/download`;
    await client.send("POST", path);
    const answer = await ask(path, "wait=1");
    expect(answer.body).toMatchObject({ status: "pending", retryAfterSeconds: 2 });
    expect(appliedOf(answer)).toBe("wait=1");
  });

  it("is answered 404 at once without a requested archive", async () => {
    const { jobId } = await successfulJob(client);
    const answer = await ask(`/v1/jobs/${jobId}/download`, "wait=60");
    expectError(answer, 404, "download_not_requested");
    expect(appliedOf(answer)).toBeNull();
  });
});

describe("clients that wait", () => {
  /** Counts the database calls of the Worker and the JobObjects from now on. */
  const countDatabaseCalls = () => {
    const prototype = Object.getPrototypeOf(home.DB);
    const spies = (["prepare", "batch", "exec"] as const).map((name) => vi.spyOn(prototype, name));
    return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  };

  it("cost no call of the database while they wait, and each is answered at its job's end [A1-4]", async () => {
    const jobs = await Promise.all(Array.from({ length: 8 }, () => newJob(client)));
    const answered: string[] = [];
    const answers = jobs.map(async ({ jobId }) => {
      const { body } = await ask(`/v1/jobs/${jobId}`, "wait=60");
      answered.push(body.jobId);
      return body.status;
    });
    for (const { jobId } of jobs) await expectWaiters(jobId, WAITING);
    const calls = countDatabaseCalls();
    // Events meanwhile wake them, and they sleep again.
    for (const { jobId, taskId } of jobs) {
      const object = env.JOBS.getByName(jobId);
      await object.releaseTask(taskId, (await object.claimTask(taskId))?.lease ?? 0, 0);
    }
    for (const { jobId } of jobs) await expectWaiters(jobId, WAITING);
    expect([answered, calls()]).toEqual([[], 0]);
    const inference = new FakeInference();
    for (const [i, { jobId, tasks }] of jobs.entries()) {
      await finishJob(inference, client.accountId, jobId, tasks);
      expect(await answers[i]).toBe("success");
      expect(answered).toHaveLength(i + 1);
    }
  });

  it("are forgotten at once when they go away [A1-4]", async () => {
    const { jobId } = await newJob(client);
    const away = new AbortController();
    const question = { ask: "status", accountId: client.accountId, waitMs: 60_000 };
    const answer = env.JOBS.getByName(jobId).fetch("https://job.internal/", {
      method: "POST",
      body: JSON.stringify(question),
      signal: away.signal,
    });
    await expectWaiters(jobId, WAITING);
    away.abort();
    await expect(answer).rejects.toThrow();
    await expectWaiters(jobId, NOBODY);
  });
});
