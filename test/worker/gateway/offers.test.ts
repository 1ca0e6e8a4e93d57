import { evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { InferenceClient } from "../../../src/models/store/inference-client.ts";
import { at } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { FakeWorker, gateway, installGateway } from "../../support/worker/fakes/gateway-worker.ts";
import {
  callBack,
  deliver,
  deliverTask,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { isLong } from "../../support/worker/client/random.ts";

let client: Client;
let pool: InferenceClient;
beforeEach(async () => {
  client = await newClient();
  pool = await installGateway();
});

const statusOf = async (jobId: string): Promise<string> =>
  (await client.send("GET", `/v1/jobs/${jobId}`)).body.status;

describe("a connected worker", () => {
  it("gets a task and ends it by its callbacks", async () => {
    const worker = await FakeWorker.start("desk");
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const [task] = worker.running.values();
    if (task === undefined) throw new Error("no task was offered");
    expect(task.key).toBe(`${jobId}.${taskId}.1`);
    expect((await callBack(task, "complete", success())).status).toBe(204);
    expect(await statusOf(jobId)).toBe("success");
    worker.end(task.key);
    await expect.poll(async () => (await gateway().listWorkers())[0]?.tasks).toBe(0);
  });

  it("describes its model, or none without a worker", async () => {
    expect(await pool.describeModel()).toEqual({ reason: "status 503 no_worker" });
    const worker = await FakeWorker.start("desk");
    expect(await pool.describeModel()).toEqual(worker.hello.model);
  });

  it("stops a canceled task", async () => {
    const worker = await FakeWorker.start("desk");
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    await client.send("POST", `/v1/jobs/${jobId}/cancel`);
    await expect.poll(() => worker.stopped).toEqual([`${jobId}.${taskId}.1`]);
  });

  it("keeps its connection and its leases while the gateway hibernates", async () => {
    const worker = await FakeWorker.start("desk");
    const { jobId, tasks } = await newJob(client, 2);
    await deliverTask(jobId, at(tasks, 0));
    await evictDurableObject(gateway());
    expect(await gateway().listWorkers()).toMatchObject([{ isConnected: true, tasks: 1 }]);
    await deliverTask(jobId, at(tasks, 1));
    expect(worker.begun).toHaveLength(2);
  });
});

it("asks a worker that has a decoder's file to store it", async () => {
  const plain = await FakeWorker.start("a-plain");
  const decoder = { sha256: "0".repeat(64), bytes: 9 };
  const other = await FakeWorker.start("other", 9, { model: { ...plain.hello.model, decoder } });
  const put = { sha256: decoder.sha256, url: "https://s3.test/decoder", headers: {} };
  other.lies.set("/v1/decoder", { status: 202 });
  await pool.putDecoder(put);
  expect([plain.asked, other.asked]).toEqual([[], ["POST /v1/decoder"]]);
});

describe("of several workers", () => {
  it("the idlest gets a task", async () => {
    const [first, second] = [await FakeWorker.start("first"), await FakeWorker.start("second")];
    const { jobId, tasks } = await newJob(client, 4);
    for (const taskId of tasks) await deliverTask(jobId, taskId);
    expect([first.begun.length, second.begun.length]).toEqual([2, 2]);
  });

  it("the worker that had the picture gets it again, unless it is full", async () => {
    const [first, second] = [await FakeWorker.start("first"), await FakeWorker.start("second")];
    const { jobId, taskId, tasks } = await newJob(client, 2);
    await deliverTask(jobId, taskId);
    await deliverTask(jobId, at(tasks, 1));
    expect([first.begun.length, second.begun.length]).toEqual([1, 1]);
    const again = async (): Promise<void> => {
      const { body } = await client.send("POST", "/v1/jobs", {
        type: "image",
        prompts: ["dog"],
        tasks: [taskId],
      });
      await deliverTask(body.jobId, taskId);
    };
    await again();
    await again();
    expect([first.begun.length, second.begun.length]).toEqual([3, 1]);
    first.capacity = 3;
    await again();
    expect([first.begun.length, second.begun.length]).toEqual([3, 2]);
  });

  it("a worker with a model for regions gets a region", async () => {
    const regions = { box: true, points: true, clips: true, examples: false };
    const plain = await FakeWorker.start("plain");
    const { model } = plain.hello;
    const drawing = await FakeWorker.start("drawing", 9, { model: { ...model, regions } });
    const { taskId } = await newJob(client);
    const drawn = { type: "image", tasks: [taskId], regions: [{ taskId, box: [1, 1, 5, 5] }] };
    const { body } = await client.send("POST", "/v1/jobs", drawn);
    await deliverTask(body.jobId, taskId);
    expect([plain.begun.length, drawing.begun.length]).toEqual([0, 1]);
  });

  it("all together have room", async () => {
    await Promise.all([FakeWorker.start("first", 1), FakeWorker.start("second", 2)]);
    const { jobId, tasks } = await newJob(client, 4);
    const messages = tasks.map((taskId) => taskMessage(jobId, taskId));
    const { explicitAcks, retryMessages } = await deliver("segmentation-bulk", ...messages);
    expect([explicitAcks.length, retryMessages.length]).toEqual([3, 1]);
  });

  it.runIf(isLong)("the worker with the task answers a repeated offer, although it is full", async () => {
    const worker = await FakeWorker.start("desk", 1);
    await FakeWorker.start("other");
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    const [task] = worker.running.values();
    if (task === undefined) throw new Error("no task was offered");
    expect(await pool.submit(task, taskId)).toEqual({ outcome: "accepted" });
    expect(worker.begun).toEqual([task.key]);
    expect(worker.asked.filter((asked) => asked === "POST /v1/tasks")).toHaveLength(2);
  });
});
