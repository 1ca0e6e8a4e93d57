import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliver,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { at } from "../../support/at.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

describe("at-least-once delivery, exactly-once in effect", () => {
  let client: Client;
  let inference: FakeInference;
  let jobId: string;
  let tasks: string[];
  beforeEach(async () => {
    client = await newClient();
    inference = new FakeInference();
    ({ jobId, tasks } = await newJob(client, 3));
  });

  const job = async () => (await client.send("GET", `/v1/jobs/${jobId}`)).body;
  const result = async () => (await client.send("GET", `/v1/jobs/${jobId}/result`)).body;

  const first = () => at(tasks, 0);

  it("gives a task to one holder for any number of messages", async () => {
    await Promise.all(Array.from({ length: 5 }, () => deliverTask(jobId, first())));
    await deliverTask(jobId, first());
    expect(inference.tasks).toHaveLength(1);
  });

  it("tells the service the task's account and waiting time, in each attempt", async () => {
    const { createdAt } = await job();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await deliverTask(jobId, first());
      expect(inference.last).toMatchObject({ account: client.accountId, acceptedAt: Date.parse(createdAt) });
      await callBack(inference.last, "complete", failure(true, "engine_crashed"));
      later(60_000);
    }
  });

  it("ends the same for any order and number of messages", async () => {
    const shuffled = [2, 0, 1, 2, 1, 0, 0].map((i) => at(tasks, i));
    for (const taskId of shuffled) await deliverTask(jobId, taskId);
    for (const task of inference.tasks.toReversed()) await callBack(task, "complete", success());
    for (const taskId of shuffled) await deliverTask(jobId, taskId);
    expect(inference.tasks).toHaveLength(3);
    expect((await job()).status).toBe("success");
    expect((await result()).manifest.items.map((item: { taskId: string }) => item.taskId)).toEqual(tasks);
  });

  it("drops messages of missing jobs and tasks, and retries an unreadable one", async () => {
    await deliverTask(`job_${"0".repeat(32)}`, first());
    await deliverTask(jobId, "unknown.png");
    expect(inference.tasks).toEqual([]);
    expect(await deliver("segmentation-bulk", { v: 9 })).toMatchObject({ retryMessages: [{ msgId: "m0" }] });
  });

  it("offers a batch of ten six at a time, as many as there are connections, without idle timers", async () => {
    const many = await newJob(client, 10);
    const answers: (() => void)[] = [];
    const times: number[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      times.push(ms);
      return new AbortController().signal;
    });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (new URL(new Request(input, init).url).pathname === "/v1/room") {
        times.length = 0;
        return new Response(null, { status: 404 });
      }
      await new Promise<void>((resolve) => answers.push(resolve));
      return Response.json({}, { status: 202 });
    });
    const end = deliver("segmentation-bulk", ...many.tasks.map((taskId) => taskMessage(many.jobId, taskId)));
    let most = 0;
    for (let answered = 0; answered < 10; answered += 1) {
      const underWay = Math.min(6, 10 - answered);
      await vi.waitUntil(() => answers.length >= underWay, PATIENT);
      most = Math.max(most, answers.length);
      expect(times, "a timer for each offer that is sent").toHaveLength(answered + answers.length);
      answers.shift()?.();
    }
    expect(most).toBe(6);
    expect(await end).toMatchObject({ explicitAcks: expect.toSatisfy((acks) => acks.length === 10) });
  });

  it("takes a completion twice to one effect", async () => {
    await deliverTask(jobId, first());
    const once = await callBack(inference.last, "complete", success(2));
    const before = await job();
    const twice = await callBack(inference.last, "complete", success(1));
    expect(once.status).toBe(204);
    expect(twice.status).toBe(204);
    expect(await job()).toEqual(before);
    await finishJob(inference, client.accountId, jobId, tasks.slice(1));
    expect((await result()).manifest.items[0].masks).toHaveLength(2);
  });

  it("refuses late callbacks of an ended lease, and keeps the next holder's reports", async () => {
    await deliverTask(jobId, first());
    const late = inference.last;
    later(61_000);
    await ring(jobId);
    expect(inference.cancelled).toEqual([late.key]);
    later(5_000);
    await deliverTask(jobId, first());
    const next = inference.last;
    expect(next.key).not.toBe(late.key);

    expectError(await callBack(late, "complete", failure(false)), 409, "lease_lost");
    expectError(await callBack(late, "progress", { done: 0, total: 1 }), 409, "lease_lost");
    const files = [
      { name: "masks/0.png", contentType: "image/png", size: 1, md5: "1B2M2Y8AsgTpgAmY7PhCfg==" },
    ];
    expectError(await callBack(late, "outputs", { files }), 409, "lease_lost");

    expect((await callBack(next, "complete", success())).status).toBe(204);
    expectError(await callBack(late, "complete", success(5)), 409, "lease_lost");
    expect((await job()).tasks[0]).toMatchObject({ status: "success", error: null });
  });

  it("extends a lease with each report of progress", async () => {
    await deliverTask(jobId, first());
    for (let i = 0; i < 4; i += 1) {
      later(50_000);
      const answer = await callBack(inference.last, "progress", { done: 0, total: 1 });
      expect(answer).toMatchObject({ status: 200, body: { deadline: Date.now() + 60_000 } });
      await ring(jobId);
    }
    expect((await callBack(inference.last, "complete", success())).status).toBe(204);
  });

  it("grants signed PUTs under the lease's own prefix, for exactly the files that were named", async () => {
    await deliverTask(jobId, first());
    const file = { name: "masks/0.png", contentType: "image/png", size: 7, md5: "1B2M2Y8AsgTpgAmY7PhCfg==" };
    const { body } = await callBack(inference.last, "outputs", { files: [file] });
    const [upload] = body.uploads;
    const url = new URL(upload.url);
    expect(url.pathname).toContain(`/outputs/${client.accountId}/${jobId}/${first()}/1/masks/0.png`);
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-md5;content-type;host");
    expect(upload.headers).toEqual({ "content-type": "image/png", "content-md5": file.md5 });
    expectError(await callBack(inference.last, "outputs", { files: [file, file] }), 400, "outputs_refused");
    const escaping = { ...file, name: "../../other/masks/0.png" };
    expectError(await callBack(inference.last, "outputs", { files: [escaping] }), 400, "invalid_request");
  });

  it("refuses a callback's body that is larger than any report can be", async () => {
    await deliverTask(jobId, first());
    const large = success(1, { notice: { code: "too_much", message: "x".repeat(5 * 1024 * 1024) } });
    expectError(await callBack(inference.last, "complete", large), 400, "body_too_large");
  });

  it("refuses a callback with a forged token or one for another purpose", async () => {
    await deliverTask(jobId, first());
    const task = inference.last;
    const { nextToken } = (await client.send("GET", "/v1/jobs?limit=1")).body;
    const forged = `${task.callbackToken.slice(0, -6)}AAAAAA`;
    for (const callbackToken of [forged, client.key, nextToken ?? "x", "x"]) {
      expectError(await callBack({ ...task, callbackToken }, "complete", success()), 401, "Unauthorized");
    }
    expect((await job()).tasks[0].status).toBe("processing");
  });

  it("is queued, also in the list, until the service took it, after any number of offers [3.1-3]", async () => {
    const pushed = vi.spyOn(Jobs.prototype, "project");
    inference.answer = () => new Response(null, { status: 429 });
    for (let offer = 0; offer < 3; offer += 1) {
      await deliverTask(jobId, first());
      later(10_000);
      await ring(jobId);
    }
    expect((await job()).status).toBe("queued");
    expect(pushed).not.toHaveBeenCalled();
    inference.answer = () => Response.json({}, { status: 202 });
    await deliverTask(jobId, first());
    expect((await job()).status).toBe("processing");
  });

  it.each([
    ["is full", () => new Response(null, { status: 429, headers: { "retry-after": "4" } })],
    ["is starting", () => new Response(null, { status: 503 })],
    ["refuses our token", () => new Response(null, { status: 401 })],
    [
      "can't be reached",
      () => {
        throw new TypeError("connection refused");
      },
    ],
  ])("burns no attempt while the service %s", async (_, busy) => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    inference.answer = busy;
    for (let offer = 0; offer < 10; offer += 1) {
      await deliverTask(jobId, first());
      expect((await job()).tasks[0].status).toBe("queued");
      later(50_000);
      await ring(jobId);
      expect(sent.mock.calls.at(-1)?.[2]).toContain(first());
    }
    inference.answer = () => Response.json({}, { status: 202 });
    await deliverTask(jobId, first());
    expect((await callBack(inference.last, "complete", success())).status).toBe(204);
  });

  it.each([
    ["cancels the task where a proxy gave up waiting for the service", new Response("", { status: 504 }), 1],
    ["cancels the task where a proxy found no service", new Response("", { status: 503 }), 1],
    ["cancels nothing where the service drains", Response.json({ error: "draining" }, { status: 503 }), 0],
    ["cancels nothing where a lane is full", Response.json({ error: "lane_full" }, { status: 429 }), 0],
  ])("%s", async (_, answer, cancelled) => {
    inference.answer = () => answer.clone();
    await deliverTask(jobId, first());
    expect(inference.cancelled).toHaveLength(cancelled);
  });

  it("resends lost messages, ever more rarely", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const rings: number[] = [];
    for (let seconds = 10; seconds <= 300; seconds += 10) {
      later(10_000);
      await ring(jobId);
      if (sent.mock.calls.length > rings.length) rings.push(seconds);
    }
    expect(rings).toEqual([30, 90, 210]);
  });

  it("keeps its window filled: one message out for each task that ended", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const large = await newJob(client, 20);
    for (const taskId of large.tasks.slice(0, 4)) {
      await deliverTask(large.jobId, taskId);
      await callBack(inference.last, "complete", success());
    }
    await expect.poll(() => sent.mock.calls.flatMap((call) => call[2])).toEqual(large.tasks.slice(0, 10));
  });

  it("has its state in the list, even when every push failed at first [2.2-3]", async () => {
    const listed = async () => (await client.send("GET", `/v1/jobs?jobId=${jobId}`)).body.items[0];
    const push = vi.spyOn(Jobs.prototype, "project").mockRejectedValue(new Error("D1 is down"));
    await finishJob(inference, client.accountId, jobId, tasks);
    expect((await listed()).status).toBe("queued");
    const alarm = await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(Date.now() + 7_500);
    push.mockRestore();
    await ring(jobId);
    expect(await listed()).toMatchObject({ status: "success", updatedAt: (await job()).updatedAt });
  });

  it("never lets an older push overwrite a newer one [2.2-3]", async () => {
    await finishJob(inference, client.accountId, jobId, tasks);
    const push = { jobId, status: "processing", error: null, updatedAt: 1, cost: null } as const;
    await expect
      .poll(async () => (await client.send("GET", "/v1/jobs")).body.items[0].status)
      .toBe("success");
    await new Jobs(home.DB).project({ ...push, version: 2 });
    expect((await client.send("GET", "/v1/jobs")).body.items[0].status).toBe("success");
  });

  it("forgets nothing when the object is evicted from memory", async () => {
    await deliverTask(jobId, first());
    const before = await job();
    await evictDurableObject(env.JOBS.getByName(jobId));
    expect(await job()).toEqual(before);
    expect((await callBack(inference.last, "complete", success())).status).toBe(204);
  });
});
