import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { IdempotencyKeys } from "../../../src/shared/storage/idempotency-keys.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  finishJob,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { loseJobs } from "../../support/worker/fixtures/restore.ts";
import { later } from "../../support/worker/runtime/time.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let client: Client;
let alarms: string[];
beforeEach(async () => {
  client = await newClient();
  alarms = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => {
    const { event, level, jobId } = JSON.parse(line);
    if (event === "job_unlisted") alarms.push(`${level} ${jobId}`);
  });
});

const outputsOf = async (jobId: string): Promise<number> =>
  (await env.MEDIA.list({ prefix: `outputs/${client.accountId}/${jobId}/` })).objects.length;

describe("an accepted job that the list has lost", () => {
  it("keeps its outputs, continues and ends: the loss is reported every few hours", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    const inference = new FakeInference();
    await finishJob(inference, client.accountId, jobId, tasks.slice(0, 1));
    await ring(jobId);
    await loseJobs();

    await finishJob(inference, client.accountId, jobId, tasks.slice(1));
    await ring(jobId);
    await ring(jobId);
    expect(alarms).toEqual([`error ${jobId}`]);
    later(5 * HOUR);
    await evictDurableObject(env.JOBS.getByName(jobId));
    await ring(jobId);
    await ring(jobId);
    expect(alarms).toEqual([`error ${jobId}`, `error ${jobId}`]);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("success");
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
    expect(await outputsOf(jobId)).toBe(2);
  });

  it("is purged at the end of its retention anyway", async () => {
    const { jobId, tasks } = await newJob(client);
    await loseJobs();
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    later(30 * DAY);
    await ring(jobId);
    expect(await outputsOf(jobId)).toBe(0);
    expect(await ring(jobId)).toBe(false);
  });

  it("is not created again, nor withdrawn, by a request that was cut off after its acceptance", async () => {
    const tasks = await uploads(client, 1);
    const create = () => client.send("POST", "/v1/jobs", imageJob(tasks), { "idempotency-key": "k" });
    const dies = () => Promise.reject(new Error("the Worker was stopped"));
    vi.spyOn(IdempotencyKeys.prototype, "complete").mockImplementationOnce(dies);
    const { body: first } = await create();
    const inference = new FakeInference();
    await finishJob(inference, client.accountId, first.jobId, tasks);
    await loseJobs();
    later(61_000);
    expect(await create()).toMatchObject({ status: 202, body: { jobId: first.jobId } });
    expect(await outputsOf(first.jobId)).toBe(1);
  });

  it("accepts its holder's report: no work is lost", async () => {
    const { jobId, taskId } = await newJob(client);
    const inference = new FakeInference();
    await deliverTask(jobId, taskId);
    await loseJobs();
    expect((await callBack(inference.last, "complete", success())).status).toBe(204);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("success");
  });
});
