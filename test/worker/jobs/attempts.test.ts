import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { InferenceClient } from "../../../src/models/store/inference-client.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { at } from "../../support/at.ts";
import { later } from "../../support/worker/runtime/time.ts";

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

  const [first, second] = [() => at(tasks, 0), () => at(tasks, 1)];

  it("tries again after a failure that may pass, three times in all, then reports the last reason", async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await deliverTask(jobId, first());
      expect((await job()).tasks[0]).toMatchObject({ status: "processing", error: null });
      await callBack(inference.last, "complete", failure(true, "engine_crashed"));
      later(60_000);
    }
    expect((await job()).tasks[0]).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^engine_crashed: /),
    });
    await deliverTask(jobId, first());
    expect(inference.tasks).toHaveLength(3);
  });

  it("takes back a stopping service's tasks without an attempt, any number of times", async () => {
    for (let time = 1; time <= 4; time += 1) {
      await deliverTask(jobId, first());
      expect((await callBack(inference.last, "complete", { outcome: "returned" })).status).toBe(204);
      expect((await job()).tasks[0]).toMatchObject({ status: "processing", error: null });
      later(60_000);
    }
    await deliverTask(jobId, first());
    await callBack(inference.last, "complete", success());
    expect((await job()).tasks[0]).toMatchObject({ status: "success" });
  });

  it("gives up a task after three leases without a report", async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await deliverTask(jobId, second());
      later(61_000);
      await ring(jobId);
      later(60_000);
    }
    expect((await job()).tasks[1]).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^attempts_exhausted: /),
    });
  });

  it("cancels unanswered offers, so of four acceptances one runs", async () => {
    inference.silent = true;
    for (let offer = 0; offer < 3; offer += 1) {
      await deliverTask(jobId, first());
      expect((await job()).tasks[0].status).toBe("queued");
      later(50_000);
      await ring(jobId);
    }
    inference.silent = false;
    await deliverTask(jobId, first());
    const keys = inference.tasks.map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
    expect(inference.cancelled).toEqual(keys.slice(0, 3));
    expect((await callBack(inference.last, "complete", success())).status).toBe(204);
  });

  it("hands the lease back only after it canceled the possibly accepted task", async () => {
    inference.silent = true;
    const cancel = Promise.withResolvers<void>();
    const cancelling = vi.spyOn(InferenceClient.prototype, "cancel").mockReturnValue(cancel.promise);
    const delivered = deliverTask(jobId, first());
    await expect.poll(() => cancelling.mock.calls).toEqual([[`${jobId}.${first()}.1`, first()]]);
    expect(await env.JOBS.getByName(jobId).holding(first(), 1)).not.toBeNull();
    cancel.resolve();
    await delivered;
    expect(await env.JOBS.getByName(jobId).holding(first(), 1)).toBeNull();
  });

  it("fails a task that the service will never take, by name", async () => {
    inference.answer = () => new Response(null, { status: 400 });
    await deliverTask(jobId, first());
    expect((await job()).tasks[0]).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^task_refused: /),
    });
  });

  it("gives up after a day without room [3.1-6]", async () => {
    later(86_400_001);
    await ring(jobId);
    expect(await job()).toMatchObject({ status: "failed" });
    expect((await job()).tasks[0].error).toMatch(/^inference_unavailable: /);
  });

  it("gives up no task of a batch with daily progress, and all a day after the last end [3.1-6]", async () => {
    const large = await newJob(client, 9);
    const status = async () => (await client.send("GET", `/v1/jobs/${large.jobId}`)).body;
    for (const taskId of large.tasks.slice(0, 3)) {
      later(20 * 3_600_000);
      await ring(large.jobId);
      await deliverTask(large.jobId, taskId);
      await callBack(inference.last, "complete", success());
    }
    later(86_400_000 - 1);
    await ring(large.jobId);
    expect((await status()).tasks.map((task: { status: string }) => task.status)).toEqual([
      ...large.tasks.slice(0, 3).map(() => "success"),
      ...large.tasks.slice(3).map(() => "queued"),
    ]);
    later(1);
    await ring(large.jobId);
    expect(
      (await status()).tasks.filter((task: { status: string }) => task.status === "failed"),
    ).toHaveLength(6);
  });
});
