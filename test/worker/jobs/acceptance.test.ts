import { describe, expect, it, vi } from "vitest";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../src/jobs/object/job-object.ts";
import { present } from "../../support/at.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { deliverTask, FakeInference } from "../../support/worker/fakes/inference.ts";
import { imageJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";

/** Makes the queue hang: its next call ends when the test decides. It polls: a test can't end another's promise. */
function hangingQueue() {
  let end: "answer" | "failure" | null = null;
  const send = vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(async () => {
    await vi.waitUntil(() => end !== null, { timeout: 20_000, interval: 5 });
    if (end === "failure") throw new Error("the queue is down");
  });
  return {
    called: vi.waitUntil(() => send.mock.calls.length === 1, PATIENT),
    answers: () => (end = "answer"),
    fails: () => (end = "failure"),
  };
}

/** Sends a request that hangs in the queue, and its repetition after `ms`, which calls the object again. */
async function repeatedAfter(ms: number) {
  const client = await newClient();
  const tasks = await uploads(client, 1);
  const send = () => client.send("POST", "/v1/jobs", imageJob(tasks), { "idempotency-key": "k" });
  const queue = hangingQueue();
  const asked = vi.spyOn(JobObject.prototype, "accept");
  const first = send();
  await queue.called;
  const jobId = present(await home.DB.prepare("SELECT id FROM jobs").first<string>("id"), "job");
  later(ms);
  const second = send();
  await vi.waitUntil(() => asked.mock.calls.length === 2, PATIENT);
  return { client, tasks, queue, jobId, first, second, send };
}

describe.each([
  ["at once", 0],
  ["after the lease of its key", 61_000],
])("a request that is repeated %s while its job's acceptance hangs", (_, ms) => {
  it("is answered 202 only for a job that stays: if the queue fails then, both learn of it", async () => {
    const { client, queue, jobId, first, second } = await repeatedAfter(ms);
    queue.fails();
    expect((await first).status).toBe(409);
    expect((await second).status).toBe(502);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
  });

  it("and is answered 202 for the first run's job if the queue accepts it later", async () => {
    const { client, queue, jobId, first, second, send } = await repeatedAfter(ms);
    queue.answers();
    expect(await second).toMatchObject({ status: 202, body: { jobId } });
    expect(await first).toMatchObject({ status: 202, body: { jobId } });
    expect(await send()).toMatchObject({ status: 202, body: { jobId }, replayed: "true" });
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
  });

  it("and is answered 202 even if the queue reports a failure, but a consumer has a task already", async () => {
    const { client, tasks, queue, jobId, first, second } = await repeatedAfter(ms);
    const inference = new FakeInference();
    await deliverTask(jobId, present(tasks[0], "task"));
    expect(inference.tasks).toHaveLength(1);
    queue.fails();
    expect(await second).toMatchObject({ status: 202, body: { jobId } });
    expect(await first).toMatchObject({ status: 202, body: { jobId } });
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
  });
});
