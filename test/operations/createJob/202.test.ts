import { beforeEach, describe, expect, it, vi } from "vitest";
import { AcceptedJob } from "../../../src/contract/job.ts";
import { Queues } from "../../../src/stores/queues.ts";
import { newClient, type Client } from "../../support/worker/api.ts";
import { imageJob, listedJobs, newJob, uploaded, uploads } from "../../support/worker/jobs.ts";

describe("createJob 202", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it("answers with jobId, type and totalItems, and nothing else", async () => {
    const tasks = await uploads(client, 3);
    const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expect(status).toBe(202);
    expect(AcceptedJob.parse(body)).toMatchObject({ type: "image", totalItems: 3 });
  });

  it("lists the job as queued", async () => {
    const { jobId, tasks } = await newJob(client);
    const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(body).toMatchObject({ jobId, status: "queued", processingMode: "single", error: null });
    expect(body.tasks).toEqual([{ taskId: tasks[0], status: "queued", error: null }]);
    expect(await listedJobs()).toBe(1);
  });

  it("puts a single picture into the interactive queue and a batch into the bulk queue, a window at a time", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const single = await newJob(client);
    expect(sent.mock.calls).toEqual([["interactive", single.jobId, single.tasks]]);
    const batch = await newJob(client, 10);
    expect(sent.mock.calls.slice(1)).toEqual([["bulk", batch.jobId, batch.tasks.slice(0, 6)]]);
  });

  it("puts a trial account's picture into the trial queue", async () => {
    const sent = vi.spyOn(Queues.prototype, "sendTasks");
    const { jobId, tasks } = await newJob(await newClient("trial"));
    expect(sent.mock.calls).toEqual([["trial", jobId, tasks]]);
  });

  it("takes 100 tasks, every optional field, and an upload of an earlier job", async () => {
    const tasks = await uploads(client, 100);
    const changes = { threshold: 0, maskThreshold: 1, generatePreview: true, prompts: ["cat", "chat"] };
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await client.send("POST", "/v1/jobs", imageJob(tasks, changes));
      expect([status, body.totalItems]).toEqual([202, 100]);
    }
  });

  it("takes bytes of no known kind: the task will say what is wrong with them", async () => {
    const taskId = await uploaded(client, new TextEncoder().encode("hello"), "application/octet-stream");
    expect((await client.send("POST", "/v1/jobs", imageJob([taskId]))).status).toBe(202);
  });
});
