import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { WebhookEndpoints } from "../../../src/webhooks/store/endpoints.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { present } from "../../support/at.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { callBack, deliverTask, failure, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { newEndpoint } from "../../support/worker/fakes/webhooks.ts";

/** Returns the time until a job's alarm goes off, in milliseconds. */
const untilAlarm = async (jobId: string): Promise<number> =>
  present(
    await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.getAlarm()),
    "alarm",
  ) - Date.now();

/** Creates a job whose only task has failed once, and is due again. */
async function jobWithTaskDue(): Promise<string> {
  const client = await newClient();
  const inference = new FakeInference();
  const { jobId, taskId } = await newJob(client);
  await deliverTask(jobId, taskId);
  await callBack(inference.last, "complete", failure(true));
  later(2_000);
  return jobId;
}

it.each([
  ["the database", () => vi.spyOn(Jobs.prototype, "project")],
  ["the endpoints of its events", () => vi.spyOn(WebhookEndpoints.prototype, "listeners")],
])("while %s is away, a job retries ever more rarely, and then starts over", async (_, spy) => {
  logged();
  later(0);
  const client = await newClient();
  await newEndpoint(client);
  const { jobId } = await newJob(client);
  vi.spyOn(Queues.prototype, "sendTasks").mockResolvedValue();
  const broken = spy().mockRejectedValue(new Error("away"));
  await env.JOBS.getByName(jobId).cancel(client.accountId);
  for (const delay of [5_000, 10_000, 20_000, 40_000]) {
    await expect.poll(() => untilAlarm(jobId)).toSatisfy((ms) => ms > delay - 1_000 && ms <= 1.5 * delay);
    later(1.5 * delay);
    await ring(jobId);
  }
  broken.mockRestore();
  later(120_000);
  await ring(jobId);
  await expect.poll(() => untilAlarm(jobId)).toBeGreaterThan(20_000);
});

it("a message that its job had not handed to the queue when it died is sent by the next alarm", async () => {
  const jobId = await jobWithTaskDue();
  const send = vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(() => new Promise(() => {}));
  const died = env.JOBS.getByName(jobId)
    .sync()
    .catch(() => false);
  await vi.waitUntil(() => send.mock.calls.length === 1, PATIENT);
  await abortAllDurableObjects();
  expect(await died).toBe(false);
  await ring(jobId);
  expect(send).toHaveBeenCalledTimes(2);
});
