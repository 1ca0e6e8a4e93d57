import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { outputKey } from "../../../src/shared/bucket/object-keys.ts";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { newClient } from "../../support/worker/api.ts";
import { deliverArchive } from "../../support/worker/archives.ts";
import { callBack, deliverTask, failure, PlayedInference, success } from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { ReadableByV1, RECORDS_V1 } from "../../support/worker/records-v1.ts";

type Record = { recordVersion?: number; definition: { mode?: string } };

const objectOf = (jobId: string) => env.JOBS.getByName(jobId);

const recordOf = (jobId: string): Promise<Record | undefined> =>
  runInDurableObject(objectOf(jobId), (_, { storage }) => storage.kv.get<Record>("job"));

/** Puts a record into an object's storage, as an earlier Worker left it there. */
async function leave(jobId: string, entries: object): Promise<void> {
  await runInDurableObject(objectOf(jobId), (_, { storage }) => {
    for (const [key, value] of Object.entries(entries)) storage.kv.put(key, value);
  });
  await evictDurableObject(objectOf(jobId));
}

/** Reads a job's state and writes it back. */
const readAndWrite = (jobId: string): Promise<void> =>
  runInDurableObject(objectOf(jobId), async (_, { storage }) => {
    const jobs = new JobStorage(storage);
    const state = jobs.load();
    if (state === null) throw new Error("there is no record");
    await jobs.save(state, Date.now() + 60_000);
  });

it("a job's record has the names that it always had: its processing mode is `mode`, and it is read as such", async () => {
  const client = await newClient();
  const { jobId } = await newJob(client, 2);
  const record = await recordOf(jobId);
  expect(record?.definition).toMatchObject({ jobId, mode: "batch", lane: "bulk" });
  expect(record?.definition).not.toHaveProperty("processingMode");

  await evictDurableObject(objectOf(jobId));
  const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
  expect(body).toMatchObject({ jobId, processingMode: "batch", totalItems: 2 });
});

describe.each(Object.entries(RECORDS_V1))("a record of version 1 (%s)", (_, entries) => {
  const { definition, tasks } = entries.job;
  const { jobId, accountId, createdAt } = definition;

  it("is read, and becomes one of version 2 that still has all that it had", async () => {
    vi.useFakeTimers({ now: createdAt + 1_000, toFake: ["Date"] });
    await leave(jobId, entries);
    const answer = await objectOf(jobId).status(accountId);
    expect(answer?.status).toMatchObject({
      jobId,
      processingMode: definition.mode,
      totalItems: tasks.length,
    });

    await readAndWrite(jobId);
    const record = await recordOf(jobId);
    expect(record).toEqual({ ...entries.job, recordVersion: 2, unlistedAt: null });
    expect(ReadableByV1.parse(record)).toEqual(record);
  });
});

it("whatever happens to a job, the Worker before versions can read its record: fields are only added", async () => {
  const client = await newClient();
  const inference = new PlayedInference();
  const { jobId, tasks } = await newJob(client, 3, { generatePreview: true });
  const seen = new Set<string>();
  const look = async () => {
    const record = ReadableByV1.parse(await recordOf(jobId));
    for (const { step } of record.tasks) seen.add(step.at);
    if (record.archive !== null) seen.add(`archive ${record.archive.step.at}`);
  };
  await look();
  for (const [i, completion] of [success(1), failure(false), failure(true)].entries()) {
    await deliverTask(jobId, tasks[i] ?? "");
    await callBack(inference.last, "progress", { done: 0, total: 1 });
    await look();
    await callBack(inference.last, "complete", completion);
    await look();
  }
  await deliverTask(jobId, tasks[2] ?? "");
  await callBack(inference.last, "complete", failure(false));
  const archive = async () => {
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await look();
    await deliverArchive(jobId);
    await look();
  };
  await archive();
  await env.MEDIA.put(
    outputKey({ accountId: client.accountId, jobId }, tasks[0] ?? "", 1, "masks/0.png"),
    "mask",
  );
  await archive();
  expect([...seen].toSorted()).toEqual([
    "archive failed",
    "archive ready",
    "archive sent",
    "failed",
    "leased",
    "sent",
    "success",
    "waiting",
  ]);
});

it("a record of a newer version is read, and keeps the fields that this Worker does not know", async () => {
  const client = await newClient();
  const { jobId } = await newJob(client);
  const record = await recordOf(jobId);
  await leave(jobId, { job: { ...record, recordVersion: 3, later: { known: true } } });

  expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
  await readAndWrite(jobId);
  // The number says that this Worker wrote it last: the newer one upgrades it again, and finds its fields.
  expect(await recordOf(jobId)).toMatchObject({ recordVersion: 2, later: { known: true } });
});
