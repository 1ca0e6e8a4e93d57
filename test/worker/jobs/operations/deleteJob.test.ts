import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { archivesPrefix, outputKey, outputsPrefix } from "../../../../src/shared/bucket/object-keys.ts";
import { eraseAccount } from "../../../../src/operator/operations/erase-account.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { at } from "../../../support/at.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import {
  buildUntilCutOff,
  builderOf,
  WatchedMedia,
} from "../../../support/worker/fixtures/archive-builders.ts";
import {
  deliverArchive,
  jobUnderWay,
  ring,
  successfulJob,
} from "../../../support/worker/fixtures/archives.ts";
import { CRONS, logged, runCron } from "../../../support/worker/runtime/crons.ts";
import { callBack, deliverTask, FakeInference, success } from "../../../support/worker/fakes/inference.ts";
import { newJob } from "../../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../../support/worker/fixtures/ledger.ts";
import { later, PATIENT } from "../../../support/worker/runtime/time.ts";
import { storedOf } from "../../../support/worker/runtime/traces.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import { buildArchive } from "../../../../src/archives/operations/build-archive.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import {
  expectNothingLeft,
  lastPurge,
  HOUR,
  expectGone,
} from "../../../support/worker/fixtures/deleted-jobs.ts";

const DAY = 24 * HOUR;

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

const remove = (jobId: string) => client.send("DELETE", `/v1/jobs/${jobId}`);
const get = (path: string) => client.send("GET", path);
const filesOf = async (jobId: string): Promise<string[]> => {
  const prefixes = [outputsPrefix(client.accountId, jobId), archivesPrefix(client.accountId, jobId)];
  const lists = await Promise.all(prefixes.map((prefix) => env.MEDIA.list({ prefix })));
  return lists.flatMap(({ objects }) => objects.map(({ key }) => key));
};
/** Counts deleted jobs that still have a row. */
const deletedRows = async (): Promise<number> =>
  (await home.DB.prepare("SELECT count(*) AS n FROM deleted_jobs").first<number>("n")) ?? 0;
const lateWrite = (jobId: string, taskId: string) =>
  env.MEDIA.put(outputKey({ accountId: client.accountId, jobId }, taskId, 1, "masks/0.png"), "late");

describe("deleteJob 204", () => {
  it("leaves only the used units of a job with results and an archive, at once for its account, soon in the bucket [A2-9 A2-10 A2-11]", async () => {
    const { jobId } = await successfulJob(client, 2, 3);
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    expect(await filesOf(jobId)).toHaveLength(9);
    const { status, body } = await remove(jobId);
    expect([status, body]).toEqual([204, null]);
    await expectGone(client, jobId);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 2],
      ["settle", 2],
      ["release", 0],
    ]);
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it("cancels an unfinished job first: its holders stop, and only successful tasks are charged [A2-8]", async () => {
    const { jobId, tasks, held } = await jobUnderWay(client, inference);
    expect((await remove(jobId)).status).toBe(204);
    await expectGone(client, jobId);
    await vi.waitUntil(() => inference.cancelled.length > 0, PATIENT);
    expect(inference.cancelled).toEqual([held.key]);
    expectError(await callBack(held, "complete", success()), 409, "lease_lost");
    expectError(await callBack(held, "progress", { done: 0, total: 1 }), 409, "lease_lost");
    const offered = inference.tasks.length;
    for (const taskId of tasks) await deliverTask(jobId, taskId);
    expect(inference.tasks).toHaveLength(offered);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 3],
      ["settle", 1],
      ["release", 2],
    ]);
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it("leaves nothing of a job without any holder so far [A2-8]", async () => {
    const { jobId } = await newJob(client);
    expect((await remove(jobId)).status).toBe(204);
    await vi.waitUntil(async () => (await storedOf(jobId)).length === 0, PATIENT);
    await expectNothingLeft(jobId);
  });

  it("lets the account have its next job at once [A2-7]", async () => {
    client = await newClient("trial");
    const { jobId } = await newJob(client, 2);
    await remove(jobId);
    expect((await newJob(client)).jobId).toEqual(expect.any(String));
  });

  it("is gone for its account even while its files can't be deleted, which go later [A2-9]", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    const lines = logged();
    const away = vi.spyOn(Media.prototype, "deletePrefix").mockRejectedValue(new Error("the bucket is away"));
    expect((await remove(jobId)).status).toBe(204);
    await expectGone(client, jobId);
    await ring(jobId);
    await expectGone(client, jobId);
    expect(await filesOf(jobId)).toHaveLength(1);
    expect(await deletedRows()).toBe(1);
    expect(lines().map(({ event }) => event)).toContain("outbox_failed");
    away.mockRestore();
    await ring(jobId);
    expect(await filesOf(jobId)).toEqual([]);
  });

  it("is answered only once the list has struck it: after a failure of the database the request may be repeated [A2-9]", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    const away = vi.spyOn(Jobs.prototype, "retire").mockRejectedValue(new Error("the database is away"));
    expectError(await remove(jobId), 500, "internal_error");
    expectError(await get(`/v1/jobs/${jobId}`), 404, "job_not_found");
    away.mockRestore();
    expect((await remove(jobId)).status).toBe(204);
    await expectGone(client, jobId);
  });

  it("is done by the object itself if the request was not repeated, or everything was killed [A2-10]", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    const away = vi.spyOn(Jobs.prototype, "retire").mockRejectedValue(new Error("the database is away"));
    expectError(await remove(jobId), 500, "internal_error");
    await abortAllDurableObjects();
    away.mockRestore();
    await ring(jobId);
    await expectGone(client, jobId);
    expect(await filesOf(jobId)).toEqual([]);
    await abortAllDurableObjects();
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it("of many at once deletes the job once [A2-9]", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(jobId)));
    for (const { status } of answers) expect([204, 404]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(204);
    await expectGone(client, jobId);
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it.each([
    ["the deletion", 0],
    ["the completion", 1],
  ])("of a job that completes at the same time charges by the first event: %s [A2-8]", async (_, units) => {
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const object = env.JOBS.getByName(jobId);
    const both = [
      () => object.delete(client.accountId),
      () => object.completeTask(taskId, 1, success()),
    ] as const;
    const answers = await Promise.all((units === 0 ? both : both.toReversed()).map((call) => call()));
    expect(answers).toContainEqual(true);
    expect(answers).toContainEqual({ reported: units === 0 ? "lease_lost" : "ended" });
    expect(await entriesOf(jobId)).toContainEqual(["settle", units]);
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it.each([true, false])(
    "and a concurrent claim leave no task to work on (deletion first: %s) [A2-8]",
    async (isFirst) => {
      const { jobId, taskId } = await newJob(client);
      const both = [() => remove(jobId), () => deliverTask(jobId, taskId)];
      if (!isFirst) both.reverse();
      await Promise.all(both.map((send) => send()));
      await expectGone(client, jobId);
      const task = inference.tasks.at(0);
      if (task !== undefined) expectError(await callBack(task, "complete", success()), 409, "lease_lost");
      expect(await entriesOf(jobId)).toContainEqual(["settle", 0]);
    },
  );
});

describe("a file written for a deleted job by a URL that is still valid", () => {
  it("is deleted once no lease can write: until then the object waits [A2-10]", async () => {
    const { jobId, tasks } = await jobUnderWay(client, inference);
    const lines = logged();
    await remove(jobId);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    const begun = Date.now();
    await lateWrite(jobId, at(tasks, 1));
    later(HOUR);
    await ring(jobId);
    expect(await filesOf(jobId), "its URL may have expired just now, and the PUT not ended").toHaveLength(1);
    const alarm = await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(begun + 2 * HOUR);
    later(HOUR);
    await ring(jobId);
    await expectNothingLeft(jobId);
    expect(lines().filter(({ event }) => event === "job_purged")).toMatchObject([
      { jobId, phase: "expired", purge: "first", files: 1 },
      { jobId, phase: "expired", purge: "second", files: 1 },
    ]);
  });

  it("is deleted also of a job that is past its retention", async () => {
    const { jobId, tasks } = await jobUnderWay(client, inference);
    later(30 * DAY);
    await ring(jobId);
    await lateWrite(jobId, at(tasks, 1));
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it("need no wait if everything ended long before", async () => {
    const { jobId } = await successfulJob(client);
    later(2 * HOUR);
    await remove(jobId);
    await vi.waitUntil(async () => (await storedOf(jobId)).length === 0, PATIENT);
    await expectNothingLeft(jobId);
  });

  it("goes with its account, if that is erased meanwhile", async () => {
    const { jobId } = await jobUnderWay(client, inference);
    await remove(jobId);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    expect(await deletedRows()).toBe(1);
    const report = await eraseAccount(home.platform, client.accountId, Date.now());
    expect(report).toMatchObject({ state: "emptied", jobsLeft: 0 });
    expect(await storedOf(jobId)).toEqual([]);
    expect(await deletedRows()).toBe(0);
  });

  it("is deleted by the nightly run if the object has lost its alarm [A2-10]", async () => {
    const { jobId, tasks } = await jobUnderWay(client, inference);
    await remove(jobId);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    await lateWrite(jobId, at(tasks, 1));
    await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.deleteAlarm());
    later(3 * HOUR + 1);
    await runCron(CRONS.nightly);
    await expectNothingLeft(jobId);
  });
});

describe("a deleted job whose archive is being built", () => {
  const prepared = async () => {
    const { jobId } = await successfulJob(client, 2, 3);
    // Together more than a part.
    for (const key of (await filesOf(jobId)).slice(0, 2)) await env.MEDIA.put(key, new Uint8Array(4_300_000));
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    return jobId;
  };

  it("stops its builder, and leaves neither archive nor upload [A2-10]", async () => {
    const jobId = await prepared();
    const media = new WatchedMedia();
    const begun = vi.spyOn(media, "beginParts");
    let isDeleted = false;
    media.beforePart = async () => {
      isDeleted = true;
      expect((await remove(jobId)).status).toBe(204);
    };
    await buildArchive(builderOf({ archiveKeepMs: 0 }, media), jobId);
    expect(isDeleted).toBe(true);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    const { value: uploadId } = at(begun.mock.settledResults, 0);
    const [key] = at(begun.mock.calls, 0);
    await expect(env.MEDIA.resumeMultipartUpload(key, String(uploadId)).uploadPart(1, "x")).rejects.toThrow(
      /10024|does not exist/,
    );
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });

  it("is not built by a later builder", async () => {
    const jobId = await prepared();
    await buildUntilCutOff(jobId, 6, { archiveKeepMs: 0 });
    await remove(jobId);
    await deliverArchive(jobId);
    await vi.waitUntil(async () => (await filesOf(jobId)).length === 0, PATIENT);
    await lastPurge(jobId);
    await expectNothingLeft(jobId);
  });
});
