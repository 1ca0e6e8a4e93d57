import { beforeEach, describe, expect, it } from "vitest";
import { JobStatus } from "../../../../src/jobs/contract/job.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { ring } from "../../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../../support/worker/fixtures/jobs.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("retrieveJob 200", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient();
    inference = new FakeInference();
  });

  const retrieve = async (jobId: string) => {
    const { status, body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(status).toBe(200);
    return JobStatus.parse(body);
  };

  it("goes from queued over processing to success, without ever showing a mask [1-5 2.3-1 4.4-1 3.1-1 3.1-3 3.1-4 2-1]", async () => {
    const { jobId, taskId } = await newJob(client);
    expect(await retrieve(jobId)).toMatchObject({ status: "queued", tasks: [{ status: "queued" }] });

    await deliverTask(jobId, taskId);
    expect(await retrieve(jobId)).toMatchObject({ status: "processing", tasks: [{ status: "processing" }] });

    await callBack(inference.last, "complete", success());
    const done = await retrieve(jobId);
    expect(done).toMatchObject({
      status: "success",
      error: null,
      tasks: [{ status: "success", error: null }],
    });
    expect(JSON.stringify(done)).not.toContain("mask");
  });

  it("ends in success when at least one task succeeded; each failed task carries its own error [2.3-2 2.3-3 3.1-5 3.1-8]", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    await finishJob(inference, client.accountId, jobId, tasks, (_, i) =>
      i === 1 ? success() : failure(false),
    );
    const job = await retrieve(jobId);
    expect(job.status).toBe("success");
    expect(job.processingMode).toBe("batch");
    expect(job.tasks.map((task) => task.status)).toEqual(["failed", "success", "failed"]);
    expect(job.tasks.map((task) => task.error)).toEqual([
      "not_an_image: The file is not a picture.",
      null,
      "not_an_image: The file is not a picture.",
    ]);
  });

  it("ends in failed, with an error, when every task failed [3.1-5 3.1-8]", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    const job = await retrieve(jobId);
    expect(job.status).toBe("failed");
    expect(job.error).toMatch(/^all_tasks_failed: /);
  });

  it("returns a job's prompts from its begin on request, also for a failed job; the list does not", async () => {
    const asked = async (jobId: string) =>
      JobStatus.parse((await client.send("GET", `/v1/jobs/${jobId}?include=request`)).body);
    const { jobId, tasks } = await newJob(client);
    expect((await asked(jobId)).prompts).toEqual(["cat"]);
    expect(await retrieve(jobId)).not.toHaveProperty("prompts");
    await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    expect(await asked(jobId)).toMatchObject({ status: "failed", prompts: ["cat"] });
    const { body } = await client.send("GET", "/v1/jobs");
    expect(body.items[0]).not.toHaveProperty("prompts");
    const pointed = { type: "image", tasks, regions: [{ taskId: tasks[0], box: [1, 2, 3, 4] }] };
    const { body: accepted } = await client.send("POST", "/v1/jobs", pointed);
    expect(await asked(accepted.jobId)).not.toHaveProperty("prompts");
  });

  it("names a prompt that could not be served on a task that succeeded", async () => {
    const { jobId, tasks } = await newJob(client);
    const notice = { code: "prompt_outside_vocabulary", message: "'sky' is not among them." };
    await finishJob(inference, client.accountId, jobId, tasks, () => success(1, { notice }));
    expect((await retrieve(jobId)).tasks[0]).toMatchObject({
      status: "success",
      error: "prompt_outside_vocabulary: 'sky' is not among them.",
    });
  });

  describe("in its header x-job-progress", () => {
    const progress = async (jobId: string) =>
      (await client.send("GET", `/v1/jobs/${jobId}`)).headers.get("x-job-progress");

    it("shows the share of a video's processed frames, 1.00 only at its end, without a change of the body [3.1-10]", async () => {
      const { jobId, taskId } = await newVideoJob(client);
      const keys = Object.keys(await retrieve(jobId));
      expect(await progress(jobId)).toBe("0.00");
      await deliverTask(jobId, taskId);
      for (const [done, shown] of [
        [0, "0.00"],
        [42, "0.42"],
        [41, "0.42"],
        [100, "0.99"],
      ] as const) {
        await callBack(inference.last, "progress", { done, total: 100 });
        expect(await progress(jobId)).toBe(shown);
      }
      await callBack(inference.last, "complete", videoSuccess(100));
      expect(await progress(jobId)).toBe("1.00");
      expect(Object.keys(await retrieve(jobId))).toEqual(keys);
    });

    it("shows the mean over a batch's tasks, with a failed one counted as ended [3.1-10]", async () => {
      const { jobId, tasks } = await newJob(client, 3);
      await finishJob(inference, client.accountId, jobId, tasks.slice(0, 2), (_, i) =>
        i === 0 ? success() : failure(false),
      );
      expect(await progress(jobId)).toBe("0.66");
      await finishJob(inference, client.accountId, jobId, tasks.slice(2));
      expect(await progress(jobId)).toBe("1.00");
    });

    it("begins again with a new attempt, for any report of the lost lease's holder [3.1-10]", async () => {
      const { jobId, taskId } = await newVideoJob(client);
      await deliverTask(jobId, taskId);
      const late = inference.last;
      await callBack(late, "progress", { done: 9, total: 10 });
      later(61_000);
      await ring(jobId);
      later(5_000);
      await deliverTask(jobId, taskId);
      expectError(await callBack(late, "progress", { done: 10, total: 10 }), 409, "lease_lost");
      expect(await progress(jobId)).toBe("0.00");
      await callBack(inference.last, "progress", { done: 1, total: 10 });
      expect(await progress(jobId)).toBe("0.10");
    });
  });
});
