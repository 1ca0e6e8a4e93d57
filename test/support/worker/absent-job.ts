import { expect, it } from "vitest";
import { newClient } from "./api.ts";
import { newJob } from "./jobs.ts";
import { expectError } from "./wire.ts";

/** The tenancy rule of an operation on one job: nobody learns whether another account has such a job. */
export function itHidesForeignJobs(method: string, suffix: string): void {
  it("answers a foreign, an unknown and a malformed jobId alike, byte for byte", async () => {
    const client = await newClient();
    const { jobId } = await newJob(await newClient());
    const unknown = `job_${"0".repeat(32)}`;
    const answers = await Promise.all(
      [jobId, unknown, "job_1", "%00", "..%2f", "x".repeat(3_000)].map((id) =>
        client.send(method, `/v1/jobs/${id}${suffix}`),
      ),
    );
    for (const answer of answers) {
      expectError(answer, 404, "job_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });
}
