import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Backlog } from "../../../src/operator/contract/operator.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { operate } from "../../support/worker/client/operator.ts";
import { FakeInference, finishJob } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { PATIENT } from "../../support/worker/runtime/time.ts";

const ask = async (): Promise<Backlog> => Backlog.parse((await operate("GET", "/backlog")).body);

describe("the backlog", () => {
  it("counts the tasks that could run at the same time until their jobs have ended", async () => {
    const client = await newClient();
    const inference = new FakeInference();
    expect((await ask()).runnable).toBe(0);
    const single = await newJob(client);
    await newJob(client, 9);
    expect((await ask()).runnable).toBe(1 + home.platform.policy.window);
    await finishJob(inference, client.accountId, single.jobId, [single.taskId]);
    await expect.poll(async () => (await ask()).runnable, PATIENT).toBe(home.platform.policy.window);
  });

  it("has the messages of each lane's queue, and the age of the oldest", async () => {
    const metrics = vi.spyOn(Object.getPrototypeOf(env.BULK_QUEUE), "metrics");
    metrics.mockResolvedValue({
      backlogCount: 7,
      backlogBytes: 1,
      oldestMessageTimestamp: new Date(Date.now() - 90_000),
    });
    expect((await ask()).lanes).toEqual({
      interactive: { waiting: 7, oldestSeconds: 90 },
      bulk: { waiting: 7, oldestSeconds: 90 },
      trial: { waiting: 7, oldestSeconds: 90 },
    });
    metrics.mockRestore();
    // The runtime's own count, of every test in it.
    const { waiting, oldestSeconds } = (await ask()).lanes.trial;
    expect(waiting).toBeGreaterThanOrEqual(0);
    expect(oldestSeconds).toBeLessThan(3_600);
  });

  it("is never partial while a database does not answer", async () => {
    vi.spyOn(home.platform.gauges, "runnable").mockRejectedValue(new Error("D1_ERROR: no answer"));
    expectError(await operate("GET", "/backlog"), 503, "database_unavailable");
  });
});
