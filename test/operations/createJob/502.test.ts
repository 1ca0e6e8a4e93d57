import { listDurableObjectIds, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Jobs } from "../../../src/stores/jobs.ts";
import { Queues } from "../../../src/stores/queues.ts";
import { newClient } from "../../support/worker/api.ts";
import { imageJob, listedJobs, uploads } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

const down = () => Promise.reject(new Error("the queue is down"));

describe("createJob 502", () => {
  it("leaves nothing behind when the queue takes no message, and a repeated call works", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 3);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([]);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("clears up later what it could not clear up at once", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    vi.spyOn(Jobs.prototype, "delete").mockImplementationOnce(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(1);
    const ids = await listDurableObjectIds(env.JOBS);
    const rung = await Promise.all(ids.map((id) => runDurableObjectAlarm(env.JOBS.get(id))));
    expect(rung).toContain(true);
    expect(await listedJobs()).toBe(0);
  });
});
