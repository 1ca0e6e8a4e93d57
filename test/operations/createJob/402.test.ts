import { expect, describe, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { imageJob, listedJobs, uploads } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createJob 402", () => {
  it("refuses a trial account more than 3 pictures a job", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 4);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 402, "trial_limit_exceeded");
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks.slice(1)))).status).toBe(202);
  });

  it("refuses a blocked account any new job", async () => {
    const client = await newClient("blocked");
    const tasks = await uploads(client, 1);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 402, "payment_required");
    expect(await listedJobs()).toBe(0);
  });
});
