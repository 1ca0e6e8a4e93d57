import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { JobDefinition } from "../../../src/core/job/state.ts";
import { sweepUploads } from "../../../src/services/sweep-uploads.ts";
import { platformOf } from "../../../src/platform.ts";
import { Queues } from "../../../src/stores/queues.ts";
import { JobObject } from "../../../src/workers/job-object.ts";
import { type Client, newClient } from "../../support/worker/api.ts";
import { deliverArchive, ring, successfulJob } from "../../support/worker/archives.ts";
import { listedJobs, newJob, uploaded } from "../../support/worker/jobs.ts";
import { later } from "../../support/worker/time.ts";

const DAY = 86_400_000;

describe("a job's lifetime", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const objects = async (prefix: string) => (await env.MEDIA.list({ prefix })).objects.length;
  const left = async () => ({
    outputs: await objects("outputs/"),
    archives: await objects("archives/"),
    rows: await listedJobs(),
  });

  it("ends after 30 days: outputs, archive, row and state are purged", async () => {
    const { jobId } = await successfulJob(client, 2);
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    await deliverArchive(jobId);
    expect(await left()).toEqual({ outputs: 4, archives: 1, rows: 1 });

    later(30 * DAY);
    await ring(jobId);
    expect(await left()).toEqual({ outputs: 0, archives: 0, rows: 0 });
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
    expect(await ring(jobId)).toBe(false);
  });

  it("always has an alarm set, whatever happened", async () => {
    const { jobId } = await successfulJob(client);
    const stub = env.JOBS.getByName(jobId);
    const alarm = () => runInDurableObject(stub, (_, state) => state.storage.getAlarm());
    expect(await alarm()).toBeGreaterThan(Date.now());
    await ring(jobId);
    expect(await alarm()).toBeGreaterThan(Date.now() + 29 * DAY);
  });

  it("keeps its alarm also while a setting is missing: one that threw too often would be gone", async () => {
    const { jobId } = await newJob(client);
    await runInDurableObject(env.JOBS.getByName(jobId), async (_, state) => {
      await state.storage.deleteAlarm();
      await new JobObject(state, Object.assign({}, env, { SIGNING_SECRET: "" })).alarm();
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 50_000);
    });
  });

  it("runs when the Worker was cut off after listing it, and is forgotten when it was cut off before", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const taskId = await uploaded(client);
    const cutOff = async (jobId: string): Promise<JobDefinition> => {
      const definition: JobDefinition = {
        jobId,
        accountId: client.accountId,
        type: "image",
        processingMode: "single",
        lane: "interactive",
        prompts: ["cat"],
        threshold: 0.5,
        maskThreshold: 0.5,
        generatePreview: false,
        taskIds: [taskId],
        createdAt: Date.now(),
      };
      await env.JOBS.getByName(jobId).prepare(definition);
      expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(404);
      return definition;
    };
    const ids = { listed: `job_${"1".repeat(32)}`, unlisted: `job_${"2".repeat(32)}` };
    const offer = { version: "v1", tokens: 100, days: 14 };
    const terms = { maxActiveJobs: 1, units: 1, fund: "paid", offer } as const;
    await platformOf(env).jobs.insert(await cutOff(ids.listed), terms);
    await cutOff(ids.unlisted);
    later(31_000);
    await ring(ids.listed);
    await ring(ids.unlisted);
    expect(sent.mock.calls).toEqual([["interactive", ids.listed, [taskId]]]);
    expect((await client.send("GET", `/v1/jobs/${ids.listed}`)).body.status).toBe("queued");
    expect((await client.send("GET", `/v1/jobs/${ids.unlisted}`)).status).toBe(404);
    expect(await ring(ids.unlisted)).toBe(false);
  });

  it("loses its uploads after 30 days by the sweeper, not before", async () => {
    await newJob(client, 3);
    await uploaded(client);
    const platform = platformOf(env);
    expect(await sweepUploads(platform, Date.now() + 29 * DAY)).toBe(0);
    expect(await objects("inputs/")).toBe(4);
    expect(await sweepUploads(platform, Date.now() + 30 * DAY + 1)).toBe(4);
    expect(await objects("inputs/")).toBe(0);
  });
});
