import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { TaskRequest } from "@segmentation/protocol";
import { at } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { callBack, deliverTask, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { newEndpoint, FakeEndpoints, ringEndpoint, sendTest } from "../../support/worker/fakes/webhooks.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

let client: Client;
beforeEach(async () => {
  client = await newClient();
  // The platform's clock is far behind from here on: no alarm goes off by itself.
  later(DAY);
});

const alarmOf = (object: Parameters<typeof evictDurableObject>[0]): Promise<number | null> =>
  runInDurableObject(object, (_, { storage }) => storage.getAlarm());

describe("a job whose alarm is late", () => {
  let inference: FakeInference;
  let jobId: string;
  let dead: TaskRequest;
  let busy: TaskRequest;
  beforeEach(async () => {
    inference = new FakeInference();
    const { jobId: id, tasks } = await newJob(client, 2);
    jobId = id;
    for (const taskId of tasks) await deliverTask(jobId, taskId);
    dead = at(inference.tasks, 0);
    busy = at(inference.tasks, 1);
  });

  const object = () => env.JOBS.getByName(jobId);
  const report = async (): Promise<void> =>
    expect((await callBack(busy, "progress", { done: 0, total: 1 })).status).toBe(200);

  it.each([
    ["changes", async () => undefined],
    ["is loaded again and changes", () => evictDurableObject(object())],
  ])("takes a dead holder's lease back however often it %s meanwhile [3.1-6]", async (_, between) => {
    const deadline = await alarmOf(object());
    for (let i = 0; i < 3; i += 1) {
      later(20 * SECOND - 100);
      await report();
    }
    later(305);
    for (let i = 0; i < 5; i += 1) {
      await between();
      await report();
      expect(await alarmOf(object())).toBe(deadline);
      later(10 * SECOND);
    }
    await ring(jobId);
    expect(inference.cancelled).toEqual([dead.key]);
    expect(await alarmOf(object())).toBeGreaterThan(Date.now());
  });
});

describe("a webhook endpoint whose alarm is late", () => {
  it.each([
    ["events keep arriving", async () => undefined],
    ["it is loaded again at each event", evictDurableObject],
  ])("is sent its events, though %s [A3-15]", async (_, between) => {
    const endpoint = await newEndpoint(client);
    const { received } = new FakeEndpoints(endpoint);
    const object = env.WEBHOOKS.getByName(endpoint.endpointId);
    await sendTest(client, endpoint);
    const due = await alarmOf(object);
    for (let i = 0; i < 5; i += 1) {
      later(40);
      await between(object);
      await sendTest(client, endpoint);
      expect(await alarmOf(object)).toBe(due);
    }
    await ringEndpoint(endpoint);
    expect(received).toHaveLength(6);
  });
});
