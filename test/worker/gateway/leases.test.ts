import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { FakeWorker, gateway, installGateway } from "../../support/worker/fakes/gateway-worker.ts";
import { deliverTask } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";

/** With the clock this much ahead, no alarm goes off before a test runs it. */
const AHEAD_MS = 3_600_000;

let client: Client;
let worker: FakeWorker;
let jobId: string;
let taskId: string;
beforeEach(async () => {
  later(AHEAD_MS);
  client = await newClient();
  await installGateway();
  worker = await FakeWorker.start("desk");
  ({ jobId, taskId } = await newJob(client));
  await deliverTask(jobId, taskId);
  expect(worker.begun).toHaveLength(1);
});

/** The task as its job sees it. */
const task = async () => (await env.JOBS.getByName(jobId).report())?.tasks[0];
const isHeld = async (): Promise<boolean> => (await task())?.at === "leased";
const RETURNED = { lease: null, attempts: 0 };
const alarm = () => runInDurableObject(gateway(), (_, { storage }) => storage.getAlarm());

describe("a worker's leases end, and no task loses an attempt,", () => {
  it("at once when its service stops", async () => {
    worker.socket.close(1000);
    await expect.poll(task).toMatchObject(RETURNED);
  });

  it("two seconds after its connection broke", async () => {
    worker.socket.close(3000);
    await expect.poll(alarm).toBe(Date.now() + 2_000);
    expect(await isHeld()).toBe(true);
    later(2_000);
    await runDurableObjectAlarm(gateway());
    await expect.poll(task).toMatchObject(RETURNED);
  });

  it("four seconds after a restart of the Worker, whose end of a connection no event reports", async () => {
    await evictDurableObject(gateway(), { webSockets: "close" });
    expect(await gateway().listWorkers()).toMatchObject([{ isConnected: false, tasks: 1 }]);
    expect(await alarm()).toBe(Date.now() + 4_000);
    later(3_999);
    await runDurableObjectAlarm(gateway());
    expect(await isHeld()).toBe(true);
    later(1);
    await runDurableObjectAlarm(gateway());
    await expect.poll(task).toMatchObject(RETURNED);
  });

  it("when it has been silent for 15 seconds, and it gets no task from then on", async () => {
    later(14_000);
    await runDurableObjectAlarm(gateway());
    expect(await isHeld()).toBe(true);
    later(2_000);
    const other = await newJob(client);
    await deliverTask(other.jobId, other.taskId);
    expect(worker.begun).toHaveLength(1);
    await runDurableObjectAlarm(gateway());
    await expect.poll(task).toMatchObject(RETURNED);
    expect(await worker.closed).toMatchObject({ code: 4004 });
  });

  it("when it comes back without the task", async () => {
    worker.running.clear();
    await worker.again();
    await expect.poll(task).toMatchObject(RETURNED);
  });

  it("when the operator removes it", async () => {
    await gateway().removeWorker("desk");
    await expect.poll(task).toMatchObject(RETURNED);
    expect(await worker.closed).toMatchObject({ code: 4001 });
  });
});

describe("a worker's leases stay", () => {
  it("while it comes back with its task before two seconds are over", async () => {
    worker.socket.close(3000);
    await expect.poll(alarm).toBe(Date.now() + 2_000);
    await worker.again();
    later(2_000);
    await runDurableObjectAlarm(gateway());
    expect(await isHeld()).toBe(true);
  });

  it("while it comes back with its task before four seconds after a restart of the Worker are over", async () => {
    await evictDurableObject(gateway(), { webSockets: "close" });
    await worker.again();
    later(4_000);
    await runDurableObjectAlarm(gateway());
    expect(await isHeld()).toBe(true);
  });

  it("while a newer connection, which has the task, replaces the older one", async () => {
    const { closed } = worker;
    await worker.again();
    expect(await closed).toMatchObject({ code: 4000, reason: expect.stringMatching(/Another service/) });
    expect(await isHeld()).toBe(true);
  });
});

it("stops a worker's task with an ended lease", async () => {
  const [key] = worker.running.keys();
  worker.socket.close(1000);
  await expect.poll(isHeld).toBe(false);
  await worker.again();
  await expect.poll(() => worker.stopped).toEqual([key]);
});

it("has no alarm while no lease is out", async () => {
  const [key = ""] = worker.running.keys();
  expect(await alarm()).not.toBeNull();
  worker.end(key);
  await expect.poll(async () => (await gateway().listWorkers())[0]?.tasks).toBe(0);
  await runDurableObjectAlarm(gateway());
  expect(await alarm()).toBeNull();
});

it("takes back an offer if its worker vanished before answering", async () => {
  worker.isMute = true;
  const other = await newJob(client);
  const offered = deliverTask(other.jobId, other.taskId);
  await new Promise((resolve) => worker.socket.addEventListener("message", resolve, { once: true }));
  worker.socket.close(1000);
  await offered;
  const report = () => env.JOBS.getByName(other.jobId).report();
  await expect.poll(report).toMatchObject({ tasks: [{ lease: null, attempts: 0 }] });
});
