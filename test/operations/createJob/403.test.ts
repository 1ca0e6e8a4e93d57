import { expect, describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { imageJob, listedJobs, uploaded, uploads } from "../../support/worker/jobs.ts";
import { ledgerSize } from "../../support/worker/ledger.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJob 403", () => {
  it("refuses a foreign and an unknown taskId alike, byte for byte", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const own = await uploads(client, 2);
    const foreign = await client.send("POST", "/v1/jobs", imageJob([...own, await uploaded(other)]));
    const unknown = await client.send("POST", "/v1/jobs", imageJob([...own, `${crypto.randomUUID()}.png`]));
    expectError(foreign, 403, "task_not_owned");
    expect(foreign.body).toEqual(unknown.body);
    expect([await listedJobs(), await ledgerSize()]).toEqual([0, 0]);
  });
});
