import { describe, expect, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { deliverArchive, successfulJob } from "../../support/worker/archives.ts";
import { deliverTask, failure, finishJob, PlayedInference } from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("retrieveJobDownload 409", () => {
  it("meets no conflict: of a job that is not success no archive was requested, which is 404", async () => {
    const client = await newClient();
    const poll = (jobId: string) => client.send("GET", `/v1/jobs/${jobId}/download`);
    const request = (jobId: string) => client.send("POST", `/v1/jobs/${jobId}/download`);
    const inference = new PlayedInference();
    const [queued, processing, failed] = [await newJob(client), await newJob(client), await newJob(client)];
    await deliverTask(processing.jobId, processing.tasks[0] ?? "");
    await finishJob(inference, client.accountId, failed.jobId, failed.tasks, () => failure(false));
    for (const { jobId } of [queued, processing, failed]) {
      expectError(await poll(jobId), 404, "download_not_requested");
      expectError(await request(jobId), 409, "job_not_downloadable");
      expectError(await poll(jobId), 404, "download_not_requested");
    }

    const { jobId } = await successfulJob(client);
    expectError(await poll(jobId), 404, "download_not_requested");
    expect((await request(jobId)).status).toBe(202);
    expect((await poll(jobId)).status).toBe(200);
    await deliverArchive(jobId);
    expect((await poll(jobId)).status).toBe(200);
  });
});
