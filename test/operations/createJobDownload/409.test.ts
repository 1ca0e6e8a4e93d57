import { describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { failure, finishJob, PlayedInference } from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJobDownload 409 and retrieveJobDownload 409", () => {
  it("refuse a job that is not success: queued or failed", async () => {
    const client = await newClient();
    const queued = await newJob(client);
    const failed = await newJob(client);
    await finishJob(new PlayedInference(), client.accountId, failed.jobId, failed.tasks, () =>
      failure(false),
    );
    for (const { jobId } of [queued, failed]) {
      for (const method of ["POST", "GET"]) {
        expectError(await client.send(method, `/v1/jobs/${jobId}/download`), 409, "job_not_downloadable");
      }
    }
  });
});
