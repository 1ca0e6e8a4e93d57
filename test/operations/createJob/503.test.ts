import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Queues } from "../../../src/stores/queues.ts";
import { newClient } from "../../support/worker/api.ts";
import { imageJob, listedJobs, uploads } from "../../support/worker/jobs.ts";
import { ledgerSize } from "../../support/worker/ledger.ts";
import { overrideSettings } from "../../support/worker/settings.ts";
import { expectError } from "../../support/worker/wire.ts";

/** Puts messages into the trial queue; none of them is of a job. */
async function fill(count: number): Promise<void> {
  const waiting = async () => (await env.TRIAL_QUEUE.metrics()).backlogCount;
  const before = await waiting();
  await env.TRIAL_QUEUE.sendBatch(
    Array.from({ length: count }, (_, i) => ({ body: { v: 1, jobId: "job_other", taskId: `${i}.png` } })),
  );
  // An earlier job's message may still be on its way.
  await expect.poll(waiting).toBeGreaterThanOrEqual(before + count);
}

describe("createJob 503", () => {
  it("trial_queue_full: more tasks wait in the trial queue than the setting allows; nothing is left behind", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 10 });
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    await fill(17);
    expect((await env.TRIAL_QUEUE.metrics()).backlogCount).toBe(17);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 503, "trial_queue_full");
    expect(answer.body.retryAfterSeconds).toBe(7);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect([await listedJobs(), await ledgerSize()]).toEqual([0, 0]);
    const { body } = await client.send("GET", "/v1/account/overview");
    expect(body.trial).toMatchObject({ status: "eligible", remainingTokens: 100, startedAt: null });

    overrideSettings({ TRIAL_MAX_BACKLOG: 17 });
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("lets a paid account pass while the trial queue is full", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 1 });
    const client = await newClient("paid");
    const tasks = await uploads(client, 1);
    await fill(20);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("refuses nobody because the queue can't say how much waits in it", async () => {
    vi.spyOn(Queues.prototype, "trialBacklog").mockRejectedValueOnce(new Error("no metrics"));
    const client = await newClient("trial");
    expect((await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 1)))).status).toBe(202);
  });
});
