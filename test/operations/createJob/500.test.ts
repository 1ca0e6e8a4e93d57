import { listDurableObjectIds, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Jobs } from "../../../src/stores/jobs.ts";
import { Queues } from "../../../src/stores/queues.ts";
import { newClient } from "../../support/worker/api.ts";
import { describeInternalError } from "../../support/worker/internal-error.ts";
import { imageJob, listedJobs, uploads } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describeInternalError("createJob");

describe("createJob 500", () => {
  it("is the answer where a job could be neither accepted nor struck from the list, which is done later", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const key = { "idempotency-key": "k" };
    const down = () => Promise.reject(new Error("it is down"));
    vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(down);
    const strike = vi.spyOn(Jobs.prototype, "withdraw").mockImplementation(down);
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks), key), 500, "internal_error");
    expect(await listedJobs()).toBe(1);
    strike.mockRestore();
    // The request is not forgotten: its key is not free for another one.
    const other = await client.send("POST", "/v1/jobs", imageJob(tasks, { threshold: 0.7 }), key);
    expectError(other, 409, "idempotency_mismatch");
    const ids = await listDurableObjectIds(env.JOBS);
    const rung = await Promise.all(ids.map((id) => runDurableObjectAlarm(env.JOBS.get(id))));
    expect(rung).toContain(true);
    expect(await listedJobs()).toBe(0);
  });
});
