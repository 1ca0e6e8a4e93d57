import { describe, it } from "vitest";
import { itHidesForeignJobs } from "../../support/worker/absent-job.ts";
import { newClient } from "../../support/worker/api.ts";
import { successfulJob } from "../../support/worker/archives.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("retrieveJobDownload 404", () => {
  itHidesForeignJobs("GET", "/download");

  it("says that no archive was requested before any POST", async () => {
    const client = await newClient();
    const { jobId } = await successfulJob(client);
    expectError(await client.send("GET", `/v1/jobs/${jobId}/download`), 404, "download_not_requested");
  });
});
