import { describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { deliverTask, failure, finishJob, PlayedInference } from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("retrieveJobResult 409", () => {
  it("has no result for a job that is queued, processing or failed", async () => {
    const inference = new PlayedInference();
    const client = await newClient();
    const { jobId, tasks } = await newJob(client);
    const result = () => client.send("GET", `/v1/jobs/${jobId}/result`);
    expectError(await result(), 409, "job_not_ready");
    await deliverTask(jobId, tasks[0] ?? "");
    expectError(await result(), 409, "job_not_ready");

    const failed = await newJob(client);
    await finishJob(inference, client.accountId, failed.jobId, failed.tasks, () => failure(false));
    expectError(await client.send("GET", `/v1/jobs/${failed.jobId}/result`), 409, "job_not_ready");
  });
});
