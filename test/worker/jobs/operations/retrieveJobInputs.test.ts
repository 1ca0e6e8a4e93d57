import { expect, describe, it } from "vitest";
import { JobInputs } from "../../../../src/jobs/contract/inputs.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { shareJob, visit } from "../../../support/worker/fixtures/shares.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

describe("retrieveJobInputs 200", () => {
  it("signs the uploads in the order of the tasks, without those that are deleted [A25-8]", async () => {
    const client = await newClient();
    const { jobId, tasks } = await successfulJob(client, 3);
    const retrieve = async () => {
      const { status, body } = await client.send("GET", `/v1/jobs/${jobId}/inputs`);
      expect(status).toBe(200);
      return JobInputs.parse(body).inputs;
    };
    const inputs = await retrieve();
    expect(inputs.map(({ taskId }) => taskId)).toEqual(tasks);
    for (const { taskId, url, expiresIn } of inputs) {
      const { pathname, searchParams } = new URL(url);
      expect(pathname).toContain(inputKey(client.accountId, taskId));
      expect(searchParams.get("X-Amz-Expires")).toBe(String(expiresIn));
    }
    await client.send("DELETE", `/v1/uploads/${tasks[1]}`);
    expect((await retrieve()).map(({ taskId }) => taskId)).toEqual([tasks[0], tasks[2]]);
  });

  it("is the account's own: a link shows uploads only as its share says [A25-8]", async () => {
    const client = await newClient();
    const { jobId } = await successfulJob(client);
    const { token } = await shareJob(client, jobId, { showInputs: true, showAnnotations: true });
    expectError(await visit(token, `/v1/jobs/${jobId}/inputs`), 401, "Unauthorized");
  });
});
