import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { BEGIN_SHOWN_MS } from "../../../../../src/jobs/rules/lifecycle.ts";
import { Jobs } from "../../../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../../../src/jobs/object/job-object.ts";
import { newClient } from "../../../../support/worker/client/api.ts";
import { ring } from "../../../../support/worker/fixtures/archives.ts";
import { callBack, deliverTask, FakeInference, success } from "../../../../support/worker/fakes/inference.ts";
import { imageJob, listedJobs, uploaded, uploads } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../../../support/worker/fixtures/ledger.ts";
import { present } from "../../../../support/at.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import { later } from "../../../../support/worker/runtime/time.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

describe("createJob 500", () => {
  it("is the answer if a job could be neither accepted nor struck from the list, which is done later", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const key = { "idempotency-key": "k" };
    const down = () => Promise.reject(new Error("it is down"));
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    const strike = vi.spyOn(Jobs.prototype, "withdraw").mockImplementation(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks), key), 500, "internal_error");
    expect(await listedJobs()).toBe(1);
    strike.mockRestore();
    // The request is not forgotten: another one can't use its key.
    const other = await client.send("POST", "/v1/jobs", imageJob(tasks, { threshold: 0.7 }), key);
    expectError(other, 409, "idempotency_mismatch");
    const jobId = present(await home.DB.prepare("SELECT id FROM jobs").first<string>("id"), "job");
    expect(await ring(jobId)).toBe(true);
    expect(await listedJobs()).toBe(0);
  });
});

const down = () => Promise.reject(new Error("the queue is down"));

describe("createJob 502", () => {
  it("leaves a trial account its tokens and its trial unbegun, and a repeated call begins it [4.3-32]", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 3);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    const { body } = await client.send("GET", "/v1/account/overview");
    expect(body.access.reason).toBe("trial_eligible");
    expect(body.trial).toMatchObject({
      consumedTokens: 0,
      remainingTokens: 100,
      startedAt: null,
      activeJobId: null,
    });
    const again = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expect(again).toMatchObject({ status: 202, body: { trial: { remainingTokens: 97 } } });
  });

  it.each([
    ["suspended", "UPDATE accounts SET status = 'suspended' WHERE id = ?1", 401],
    ["blocked", "UPDATE accounts SET plan = 'blocked' WHERE id = ?1", 402],
  ])(
    "leaves nothing of a job if its account is %s while the bucket is asked; a repeated call gets the reason",
    async (_, sql, status) => {
      const client = await newClient("paid");
      const tasks = await uploads(client, 2);
      const { media } = home.platform;
      const peek = media.peek.bind(media);
      vi.spyOn(media, "peek").mockImplementationOnce(async (key) => {
        await home.DB.prepare(sql).bind(client.accountId).run();
        return peek(key);
      });
      const send = () => client.send("POST", "/v1/jobs", imageJob(tasks), { "idempotency-key": "k" });
      expectError(await send(), 502, "enqueue_failed");
      expect(await listedJobs()).toBe(0);
      expect((await send()).status).toBe(status);
    },
  );

  it("frees its Idempotency-Key: the same request may come again and is not answered from memory", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const send = () => client.send("POST", "/v1/jobs", imageJob(tasks), { "idempotency-key": "k" });
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    expectError(await send(), 502, "enqueue_failed");
    const again = await send();
    expect(again).toMatchObject({ status: 202, replayed: null });
    expect(await listedJobs()).toBe(1);
  });

  it("leaves nothing behind when the queue takes no message, and a repeated call works [4.3-20 7-9 4.3-32]", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 3);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([]);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it.each([
    ["listing it fails although it was listed", "insert" as const],
    ["its object can't be reached to accept it", "accept" as const],
  ])("leaves nothing behind when %s", async (_, step) => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    if (step === "insert") {
      const insert = Jobs.prototype.insert.bind(home.platform.jobs);
      vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async (...args) => {
        await insert(...args);
        throw new Error("D1 answered too late");
      });
    } else {
      vi.spyOn(JobObject.prototype, "accept").mockRejectedValueOnce(new Error("the object was reset"));
    }
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
  });

  it("leaves no row behind when the watchdog withdrew the job before it was listed", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const insert = Jobs.prototype.insert.bind(home.platform.jobs);
    vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async (job, terms) => {
      await env.JOBS.getByName(job.jobId).withdraw();
      return insert(job, terms);
    });
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
  });

  const unreachable = () => Promise.reject(new Error("the object was reset"));
  const newest = async () =>
    present(
      await home.DB.prepare("SELECT job_id FROM ledger ORDER BY id DESC").first<string>("job_id"),
      "job",
    );

  it("cleans up later: its object, which never runs it [4.3-32]", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(unreachable);
    vi.spyOn(JobObject.prototype, "withdraw").mockImplementationOnce(unreachable);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
    const { trial } = (await client.send("GET", "/v1/account/overview")).body;
    expect(trial).toMatchObject({ consumedTokens: 0, startedAt: null, activeJobId: null });
    const jobId = await newest();
    expect(await ring(jobId)).toBe(true);
    later(31_000);
    expect(await ring(jobId)).toBe(true);
    expect(await ring(jobId)).toBe(false);
    expect(sent).not.toHaveBeenCalled();
  });

  it("stops a job that has begun although its object's answer was lost, and charges nothing for it [4.3-32]", async () => {
    const client = await newClient("trial");
    const taskId = await uploaded(client);
    const inference = new FakeInference();
    vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(async function (this: JobObject) {
      await this.accept();
      return unreachable();
    });
    vi.spyOn(JobObject.prototype, "withdraw").mockImplementationOnce(unreachable);
    expectError(await client.send("POST", "/v1/jobs", imageJob([taskId])), 502, "enqueue_failed");
    const jobId = await newest();
    await deliverTask(jobId, taskId);
    // The job reports to the list that it has begun, and the list answers that it was withdrawn.
    later(BEGIN_SHOWN_MS);
    expect(await ring(jobId)).toBe(true);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
    expect((await callBack(inference.last, "complete", success())).status).toBe(409);
    // The holder may have URLs that are still valid.
    later(2 * 3_600_000);
    expect(await ring(jobId)).toBe(true);
    expect(await ring(jobId)).toBe(false);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 1],
      ["void", 1],
    ]);
  });
});
