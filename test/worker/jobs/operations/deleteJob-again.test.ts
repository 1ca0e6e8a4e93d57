import { beforeEach, describe, expect, it, vi } from "vitest";
import { IdempotencyKeys } from "../../../../src/shared/storage/idempotency-keys.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../../src/jobs/object/job-object.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { ring } from "../../../support/worker/fixtures/archives.ts";
import { finishJob, FakeInference } from "../../../support/worker/fakes/inference.ts";
import { cutOffJob, imageJob, uploads } from "../../../support/worker/fixtures/jobs.ts";
import { entriesOf, ledgerFindings } from "../../../support/worker/fixtures/ledger.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { lastPurge, expectGone, expectNothingLeft } from "../../../support/worker/fixtures/deleted-jobs.ts";

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

const remove = (jobId: string) => client.send("DELETE", `/v1/jobs/${jobId}`);
const get = (path: string) => client.send("GET", path);

describe("a job that is deleted while its acceptance is in doubt", () => {
  it("is deleted if it is listed but not confirmed [A2-8]", async () => {
    const jobId = await cutOffJob(client);
    expect((await get("/v1/jobs")).body.items).toMatchObject([{ jobId }]);
    expect((await remove(jobId)).status).toBe(204);
    await expectGone(client, jobId);
    await expectNothingLeft(jobId);
    expect(await entriesOf(jobId)).toContainEqual(["release", 1]);
  });

  it("is not there yet if it is not listed", async () => {
    const jobId = await cutOffJob(client, { listed: false });
    expectError(await remove(jobId), 404, "job_not_found");
  });

  it.each([
    ["takes its message", false],
    ["fails", true],
  ])(
    "was accepted, and is gone, even if the queue then %s, as its request's answer says",
    async (_, fails) => {
      vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(async () => {
        const jobId = await home.DB.prepare("SELECT id FROM jobs").first<string>("id");
        expect((await remove(String(jobId))).status).toBe(204);
        if (fails) throw new Error("the queue is down");
      });
      const [taskId] = await uploads(client, 1);
      const { status, body } = await client.send("POST", "/v1/jobs", imageJob([String(taskId)]));
      expect(status).toBe(202);
      await expectGone(client, body.jobId);
      expect(await ledgerFindings()).toEqual([]);
    },
  );
});

describe("the request of a deleted job, with the same Idempotency-Key again", () => {
  const create = (tasks: readonly string[]) =>
    client.send("POST", "/v1/jobs", imageJob(tasks), { "idempotency-key": "k" });

  it("gets its first answer, and makes no second job [A2-12]", async () => {
    const tasks = await uploads(client, 1);
    const { body } = await create(tasks);
    await remove(body.jobId);
    expect(await create(tasks)).toMatchObject({ status: 202, body, replayed: "true" });
    await expectGone(client, body.jobId);
  });

  it.each([
    ["is being purged", false],
    ["is forgotten", true],
  ])("is answered likewise if the first answer was cut off and the job %s [A2-12]", async (_, forgotten) => {
    const tasks = await uploads(client, 1);
    const dies = () => Promise.reject(new Error("the Worker was stopped"));
    vi.spyOn(IdempotencyKeys.prototype, "complete").mockImplementationOnce(dies);
    const { body } = await create(tasks);
    await finishJob(inference, client.accountId, body.jobId, tasks);
    await remove(body.jobId);
    later(61_000);
    if (forgotten) await lastPurge(body.jobId);
    expect(await create(tasks)).toMatchObject({ status: 202, body: { jobId: body.jobId } });
    await expectGone(client, body.jobId);
    expect(await entriesOf(body.jobId)).toContainEqual(["settle", 1]);
    expect(await ledgerFindings()).toEqual([]);
  });

  it("is answered likewise while the list still has the job, and its use stays settled [A2-11]", async () => {
    const tasks = await uploads(client, 1);
    const dies = () => Promise.reject(new Error("the Worker was stopped"));
    vi.spyOn(IdempotencyKeys.prototype, "complete").mockImplementationOnce(dies);
    const { body } = await create(tasks);
    await finishJob(inference, client.accountId, body.jobId, tasks);
    vi.spyOn(Jobs.prototype, "retire").mockRejectedValueOnce(new Error("the database is away"));
    vi.spyOn(JobObject.prototype, "alarm").mockResolvedValue();
    expectError(await remove(body.jobId), 500, "internal_error");
    later(61_000);
    expect(await create(tasks)).toMatchObject({ status: 202, body: { jobId: body.jobId } });
    await ring(body.jobId);
    expect(await entriesOf(body.jobId)).toContainEqual(["settle", 1]);
  });
});
