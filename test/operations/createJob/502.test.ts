import { listDurableObjectIds, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { platformOf } from "../../../src/stores/platform.ts";
import { JobObject } from "../../../src/workers/job-object.ts";
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

  it.each([
    ["listing it fails although it was listed", "insert" as const],
    ["its object can't be reached to accept it", "accept" as const],
  ])("leaves nothing behind when %s", async (_, step) => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    if (step === "insert") {
      const insert = Jobs.prototype.insert.bind(platformOf(env).jobs);
      vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async (...args) => {
        await insert(...args);
        throw new Error("D1 answered too late");
      });
    } else {
      vi.spyOn(JobObject.prototype, "accept").mockRejectedValueOnce(new Error("the object was reset"));
    }
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
  });

  it("leaves no row behind when the watchdog withdrew the job before it was listed", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const insert = Jobs.prototype.insert.bind(platformOf(env).jobs);
    vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async (job, most) => {
      await env.JOBS.getByName(job.jobId).withdraw();
      return insert(job, most);
    });
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(0);
  });

  it("clears up later what it could not clear up at once", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    const forget = vi.spyOn(Jobs.prototype, "delete").mockImplementation(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await listedJobs()).toBe(1);
    forget.mockRestore();
    const ids = await listDurableObjectIds(env.JOBS);
    const rung = await Promise.all(ids.map((id) => runDurableObjectAlarm(env.JOBS.get(id))));
    expect(rung).toContain(true);
    expect(await listedJobs()).toBe(0);
  });
});
