import { beforeEach, describe, expect, it } from "vitest";
import { JobStatus } from "../../../src/contract/job.ts";
import { newClient, type Client } from "../../support/worker/api.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  PlayedInference,
  success,
} from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";

describe("retrieveJob 200", () => {
  let client: Client;
  let inference: PlayedInference;
  beforeEach(async () => {
    client = await newClient();
    inference = new PlayedInference();
  });

  const retrieve = async (jobId: string) => {
    const { status, body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(status).toBe(200);
    return JobStatus.parse(body);
  };

  it("goes from queued over processing to success, without ever showing a mask", async () => {
    const { jobId, tasks } = await newJob(client);
    expect(await retrieve(jobId)).toMatchObject({ status: "queued", tasks: [{ status: "queued" }] });

    await deliverTask(jobId, tasks[0] ?? "");
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

  it("ends in success when at least one task succeeded; each failed task carries its own error", async () => {
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

  it("ends in failed, with an error, when every task failed", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    const job = await retrieve(jobId);
    expect(job.status).toBe("failed");
    expect(job.error).toMatch(/^all_tasks_failed: /);
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
});
