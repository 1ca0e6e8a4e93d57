import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { sweepUploads } from "../../../src/uploads/operations/sweep-uploads.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../src/jobs/object/job-object.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { deliverArchive, ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { cutOffJob, imageJob, listedJobs, newJob, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf, makeCustomer } from "../../support/worker/fixtures/ledger.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("a job's lifetime", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const objects = async (prefix: string) => (await env.MEDIA.list({ prefix })).objects.length;
  const left = async () => ({
    outputs: await objects("outputs/"),
    archives: await objects("archives/"),
    rows: await listedJobs(),
  });

  it("ends after 30 days: outputs, archive, row and state are purged [8-17]", async () => {
    const { jobId } = await successfulJob(client, 2);
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    expect(await left()).toEqual({ outputs: 4, archives: 1, rows: 1 });

    later(30 * DAY);
    await ring(jobId);
    expect(await left()).toEqual({ outputs: 0, archives: 0, rows: 0 });
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
    // The archive's last builder may still write: the object checks again.
    later(2 * HOUR);
    expect(await ring(jobId)).toBe(true);
    expect(await ring(jobId)).toBe(false);
  });

  it("charges an unfinished video's used units up to the end, by a normal meter event", async () => {
    await makeCustomer(client.accountId, "active");
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(new FakeInference(), client.accountId, jobId, tasks.slice(0, 1));
    await ring(jobId);
    later(30 * DAY);
    await ring(jobId);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 2],
      ["settle", 1],
      ["release", 1],
    ]);
    const { results } = await home.DB.prepare("SELECT units, first_tried_at FROM meter_events").all();
    expect(results).toEqual([{ units: 1, first_tried_at: null }]);
  });

  it("grants its holder no more outputs, and says so, because they would outlive the purge", async () => {
    const inference = new FakeInference();
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const { last } = inference;
    const away = vi.spyOn(Jobs.prototype, "retire").mockRejectedValue(new Error("the database is away"));
    later(30 * DAY);
    await ring(jobId);
    await vi.waitUntil(() => inference.cancelled.includes(last.key), PATIENT);
    // The callbacks' token is valid for four days, and a retention may be shorter: the object has to refuse by itself.
    const stub = env.JOBS.getByName(jobId);
    expect(await stub.holding(taskId, 1)).toBeNull();
    expect(await stub.extendTask(taskId, 1, { done: 0, total: 1 })).toBeNull();
    expect(await stub.completeTask(taskId, 1, success())).toEqual({ reported: "lease_lost" });
    away.mockRestore();
    await ring(jobId);
    expect(await left()).toEqual({ outputs: 0, archives: 0, rows: 0 });
  });

  it("always has an alarm set", async () => {
    const { jobId } = await successfulJob(client);
    const stub = env.JOBS.getByName(jobId);
    const alarm = () => runInDurableObject(stub, (_, state) => state.storage.getAlarm());
    expect(await alarm()).toBeGreaterThan(Date.now());
    await ring(jobId);
    expect(await alarm()).toBeGreaterThan(Date.now() + 29 * DAY);
  });

  it("keeps its alarm even while a setting is missing: after too many errors, the platform would drop it", async () => {
    const { jobId } = await newJob(client);
    await runInDurableObject(env.JOBS.getByName(jobId), async (_, state) => {
      await state.storage.deleteAlarm();
      await new JobObject(state, Object.assign({}, env, { MASTER_SECRET: "" })).alarm();
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 50_000);
    });
  });

  it("runs when the Worker was cut off after listing it, and is forgotten when it was cut off before", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const ids = { listed: await cutOffJob(client), unlisted: await cutOffJob(client, { listed: false }) };
    for (const jobId of Object.values(ids))
      expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
    later(31_000);
    await ring(ids.listed);
    await ring(ids.unlisted);
    expect(sent.mock.calls).toEqual([["interactive", ids.listed, [expect.any(String)], expect.anything()]]);
    expect((await client.send("GET", `/v1/jobs/${ids.listed}`)).body.status).toBe("queued");
    expect((await client.send("GET", `/v1/jobs/${ids.unlisted}`)).status).toBe(404);
    expect(await ring(ids.unlisted)).toBe(false);
  });

  it("loses its uploads after 30 days by the sweeper, not before [8-17]", async () => {
    await newJob(client, 3);
    const platform = home.platform;
    expect(await sweepUploads(platform, Date.now() + 29 * DAY)).toBe(0);
    expect(await objects("inputs/")).toBe(3);
    expect(await sweepUploads(platform, Date.now() + 30 * DAY + 1)).toBe(3);
    expect(await objects("inputs/")).toBe(0);
  });

  it("outlives uploads that no job has used: they are swept an hour after their day, bytes and rows", async () => {
    await newJob(client, 2);
    await uploaded(client);
    const platform = home.platform;
    const rows = () => home.DB.prepare("SELECT count(*) AS n FROM uploads").first("n");
    expect(await sweepUploads(platform, Date.now() + DAY + 59 * 60_000)).toBe(0);
    expect(await sweepUploads(platform, Date.now() + DAY + 61 * 60_000)).toBe(1);
    expect({ objects: await objects("inputs/"), rows: await rows() }).toEqual({ objects: 2, rows: 2 });
  });

  it("keeps its input if it is accepted in the minute in which the upload's day ends, and the sweep runs meanwhile", async () => {
    const taskId = await uploaded(client);
    later(DAY - 1_000);
    const { jobs } = home.platform;
    const insert = jobs.insert.bind(jobs);
    vi.spyOn(jobs, "insert").mockImplementationOnce(async (...job) => {
      later(60_000);
      await sweepUploads(home.platform, Date.now());
      return insert(...job);
    });
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
    await sweepUploads(home.platform, Date.now() + DAY);
    expect(await objects("inputs/")).toBe(1);
  });

  it("does not begin on an upload after its day, even if its bytes exist, unless a job has used it", async () => {
    const { taskId } = await newJob(client);
    const late = await uploaded(client);
    later(DAY);
    expectError(await client.send("POST", "/v1/jobs", imageJob([late])), 403, "task_not_owned");
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
  });

  it("finds its input for as long as it may need it, also on the last day on which an upload may be named", async () => {
    const { taskId } = await newJob(client);
    later(26 * DAY - 1_000);
    const again = () => client.send("POST", "/v1/jobs", imageJob([taskId]));
    const { status, body } = await again();
    expect(status).toBe(202);
    later(1_000);
    expectError(await again(), 403, "task_not_owned");

    // Two attempts fail, each after a day's wait; the third one begins when a further day is nearly over.
    const inference = new FakeInference();
    const { jobId } = body;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      later(DAY - 60_000);
      await sweepUploads(home.platform, Date.now());
      await deliverTask(jobId, taskId);
      await callBack(inference.last, "complete", failure(true));
    }
    later(DAY - 60_000);
    await sweepUploads(home.platform, Date.now());
    await deliverTask(jobId, taskId);
    expect(inference.tasks).toHaveLength(3);
    expect(await objects("inputs/")).toBe(1);
  });

  it("outlives them over several sweeps if there are more of them than one can take", async () => {
    for (let i = 0; i < 3; i += 1) await uploaded(client);
    const sweep = () => sweepUploads(home.platform, Date.now() + 2 * DAY, 2);
    expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
    expect(await objects("inputs/")).toBe(0);
  });
});
