import { describe, expect, it } from "vitest";
import { newClient } from "../../support/worker/client/api.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { type ErrorCode } from "../../../src/shared/errors.ts";
import { OPERATIONS } from "../../../src/operations.ts";
import { OF_ONE_JOB } from "../../support/operation-tables.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** The answer does not reveal another account's job. */
describe.each(OF_ONE_JOB)("%s 404", (operation) => {
  it("answers a foreign, an unknown and a malformed jobId alike, byte for byte [4.4-2 5-7 7-6 4.3-31 A2-9 A1-12]", async () => {
    const client = await newClient();
    const { jobId: foreign } = await newJob(await newClient());
    const unknown = `job_${"0".repeat(32)}`;
    const answers = await Promise.all(
      [foreign, unknown, "job_1", "%00", "..%2f", "x".repeat(3_000)].map((jobId) => {
        const { method, path, headers, body } = requestOf(operation, { jobId });
        return client.send(method, path, body, headers);
      }),
    );
    const codes: readonly ErrorCode[] = OPERATIONS[operation].errors;
    const code = codes.includes("job_not_found") ? "job_not_found" : "share_not_found";
    for (const answer of answers) {
      expectError(answer, 404, code);
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });
});
