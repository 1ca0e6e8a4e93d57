import { describe, expect, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { successfulJob } from "../../support/worker/archives.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("retrieveJobDownload 404", () => {
  it("answers a foreign, an unknown and a malformed jobId alike, byte for byte", async () => {
    const client = await newClient();
    const { jobId } = await newJob(await newClient());
    const unknown = `job_${"0".repeat(32)}`;
    const answers = await Promise.all(
      [jobId, unknown, "job_1", "%00", "..%2f", "x".repeat(3_000)].map((id) =>
        client.send("GET", `/v1/jobs/${id}/download`),
      ),
    );
    for (const answer of answers) {
      expectError(answer, 404, "job_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });

  it("says that no archive was requested before any POST", async () => {
    const client = await newClient();
    const { jobId } = await successfulJob(client);
    expectError(await client.send("GET", `/v1/jobs/${jobId}/download`), 404, "download_not_requested");
  });
});
