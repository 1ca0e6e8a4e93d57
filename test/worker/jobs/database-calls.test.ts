import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { present } from "../../support/at.ts";
import { Meter } from "../../support/worker/abuse/meter.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import {
  callBack,
  deliver,
  deliverTask,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { imageJob, PNG } from "../../support/worker/fixtures/jobs.ts";
import { amount } from "../../support/worker/client/random.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";

const BATCH = amount({ short: 20, long: 100 });

/** Uploads a picture. Returns the bucket's message about it. */
async function picture(client: Client): Promise<{ taskId: string; message: object }> {
  const { body } = await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" });
  const key = inputKey(client.accountId, body.taskId);
  const { etag } = present(await env.MEDIA.put(key, PNG), "object");
  const object = { key, size: PNG.length, eTag: etag };
  const eventTime = new Date().toISOString();
  return {
    taskId: body.taskId,
    message: { account: "a", bucket: "segmentation-media", action: "PutObject", object, eventTime },
  };
}

/**
 * Counts the database calls for a job with this many pictures, of an account whose credential this isolate has seen: presigns,
 * createJob with an Idempotency-Key, each task's offer, a heartbeat and end, one retrieveJob, and its result.
 * @param isLong true if the job takes longer than the list may lag behind
 */
async function callsOfJob(client: Client, pictures: number, isLong: boolean) {
  const inference = new FakeInference();
  await client.send("GET", "/v1/account");
  // Stops the clock, so that a busy machine makes no job a long one.
  later(0);
  const meter = new Meter();
  const pushes = vi.spyOn(Jobs.prototype, "project");
  const taskIds: string[] = [];
  const messages: object[] = [];
  await meter.at("account", async () => {
    for (let i = 0; i < pictures; i += 1) {
      const { taskId, message } = await picture(client);
      taskIds.push(taskId);
      messages.push(message);
    }
    const key = { "idempotency-key": crypto.randomUUID() };
    const { status, body } = await client.send("POST", "/v1/jobs", imageJob(taskIds), key);
    expect(status).toBe(202);
    const { jobId } = body;
    for (const [i, taskId] of taskIds.entries()) {
      await deliverTask(jobId, taskId);
      expect((await callBack(inference.last, "progress", { done: 0, total: 1 })).status).toBe(200);
      if (i === 0 && isLong) {
        later(5_000);
        await ring(jobId);
      }
      if (i === 0) expect((await client.send("GET", `/v1/jobs/${jobId}`)).body.status).toBe("processing");
      expect((await callBack(inference.last, "complete", success())).status).toBe(204);
    }
    const settled = () => pushes.mock.settledResults.filter(({ type }) => type === "fulfilled").length;
    await vi.waitUntil(() => settled() === (isLong ? 2 : 1), PATIENT);
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
  });
  const calls = meter.of.account.d1Calls;
  await meter.at("crons", () => deliver("segmentation-uploads", ...messages));
  return { calls, ofEvents: meter.of.crons.d1Calls };
}

/** Number of other databases: each is asked for the trial lane's open tasks once in ten seconds. */
const others = (): number => home.platform.databases.length - 1;
/** In addition to the batch, several databases need a read of the directory. */
const ofEvents = (): number => 1 + Math.min(1, others());

describe("the calls of the database for a job", () => {
  it.each(["paid", "trial"] as const)(
    "are six for a single picture of a %s account, and one for the batch of the bucket's events",
    async (plan) => {
      const calls = plan === "trial" ? 6 + others() : 6;
      expect(await callsOfJob(await newClient(plan), 1, false)).toEqual({ calls, ofEvents: ofEvents() });
    },
  );

  it("are seven for a picture that takes longer than five seconds: the list is told that it has begun", async () => {
    expect(await callsOfJob(await newClient(), 1, true)).toEqual({ calls: 7, ofEvents: ofEvents() });
  });

  it(`are one for each picture of a batch of ${BATCH}, and six for the rest of it`, async () => {
    expect(await callsOfJob(await newClient(), BATCH, true)).toEqual({
      calls: BATCH + 6,
      ofEvents: ofEvents(),
    });
  });
});
