import { describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { failure, finishJob, PlayedInference } from "../../support/worker/inference.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJobDownload 409", () => {
  it("refuses a job that is not success, queued or failed; nothing was requested then", async () => {
    const client = await newClient();
    const queued = await newJob(client);
    const failed = await newJob(client);
    await finishJob(new PlayedInference(), client.accountId, failed.jobId, failed.tasks, () =>
      failure(false),
    );
    for (const { jobId } of [queued, failed]) {
      const path = `/v1/jobs/${jobId}/download`;
      expectError(await client.send("POST", path), 409, "job_not_downloadable");
      expectError(await client.send("GET", path), 404, "download_not_requested");
    }
  });
});
