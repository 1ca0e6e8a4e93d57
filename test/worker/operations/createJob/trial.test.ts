import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Queues } from "../../../../src/stores/queues.ts";
import { type Client, newClient } from "../../../support/worker/api.ts";
import { finishJob, PlayedInference } from "../../../support/worker/inference.ts";
import {
  GIF,
  imageJob,
  JPEG,
  newJob,
  PNG,
  presign,
  uploaded,
  uploads,
  videoJob,
  WEBP,
} from "../../../support/worker/jobs.ts";
import { traces, useTokens } from "../../../support/worker/ledger.ts";
import { overrideSettings } from "../../../support/worker/settings.ts";
import { expectError } from "../../../support/worker/wire.ts";

const DAY = 86_400_000;

describe("createJob 402", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient("trial");
  });

  const create = (body: object) => client.send("POST", "/v1/jobs", body);
  const nothingIsLeft = async () => {
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
    expect((await client.send("GET", "/v1/account/overview")).body.trial.status).toBe("eligible");
  };

  it("trial_limit_exceeded: the free trial takes 3 images a job", async () => {
    const tasks = await uploads(client, 4);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "trial_limit_exceeded");
    expect(answer.body).toMatchObject({
      remainingTokens: 100,
      requestedTokens: 4,
      upgradeUrl: "https://api.test",
    });
    expect(answer.body).not.toHaveProperty("expiresAt");
    await nothingIsLeft();
    expect((await create(imageJob(tasks.slice(1)))).status).toBe(202);
  });

  it("trial_video_unsupported: the free trial takes no video, uploaded or not", async () => {
    const answer = await create(videoJob(await presign(client, "video/mp4"), { maxFrames: 7 }));
    expectError(answer, 402, "trial_video_unsupported");
    expect(answer.body).toMatchObject({ remainingTokens: 100, requestedTokens: 7 });
    await nothingIsLeft();
  });

  it.each([
    ["a GIF", GIF, "image/gif"],
    ["a GIF that is sent as a PNG", GIF, "image/png"],
    ["bytes of no known kind", new TextEncoder().encode("hello"), "image/jpeg"],
  ])("trial_format_unsupported: %s is told by its bytes, not by its name", async (_, bytes, contentType) => {
    const tasks = [await uploaded(client), await uploaded(client, bytes, contentType)];
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "trial_format_unsupported");
    expect(answer.body.message).toContain(tasks[1]);
    expect(answer.body).toMatchObject({ remainingTokens: 100, requestedTokens: 2 });
    await nothingIsLeft();
  });

  it("takes JPEG, PNG and WebP by their bytes, whatever they are called", async () => {
    const contentType = "image/x-raw";
    const tasks = await Promise.all([JPEG, PNG, WEBP].map((bytes) => uploaded(client, bytes, contentType)));
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("trial_expired: the free trial ends 14 days after the first accepted job, with tokens left", async () => {
    const begun = Date.now() - 14 * DAY;
    await useTokens(client.accountId, 1, begun);
    const answer = await create(imageJob(await uploads(client, 1)));
    expectError(answer, 402, "trial_expired");
    expect(answer.body).toMatchObject({
      remainingTokens: 99,
      requestedTokens: 1,
      expiresAt: new Date(begun + 14 * DAY).toISOString(),
      upgradeUrl: "https://api.test",
    });
  });

  it("is not expired a minute before", async () => {
    await useTokens(client.accountId, 1, Date.now() - 14 * DAY + 60_000);
    expect((await create(imageJob(await uploads(client, 1)))).status).toBe(202);
  });

  it("trial_exhausted: no token is left", async () => {
    await useTokens(client.accountId, 100);
    const answer = await create(imageJob(await uploads(client, 1)));
    expectError(answer, 402, "trial_exhausted");
    expect(answer.body).toMatchObject({
      remainingTokens: 0,
      requestedTokens: 1,
      upgradeUrl: "https://api.test",
    });
    expect(Date.parse(answer.body.expiresAt)).toBeGreaterThan(Date.now() + 13 * DAY);
  });

  it("trial_insufficient: fewer tokens are left than the job needs; a smaller one is taken", async () => {
    await useTokens(client.accountId, 98);
    const tasks = await uploads(client, 3);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "trial_insufficient");
    expect(answer.body).toMatchObject({ remainingTokens: 2, requestedTokens: 3 });
    expect((await create(imageJob(tasks.slice(1)))).status).toBe(202);
  });

  it("counts again the tokens of a job that failed, as soon as it has", async () => {
    overrideSettings({ TRIAL_TOKENS: 1 });
    const { jobId, tasks } = await newJob(client);
    expectError(await create(imageJob(tasks)), 402, "trial_exhausted");
    await finishJob(new PlayedInference(), client.accountId, jobId, tasks, () => ({
      outcome: "failed",
      problem: { code: "not_an_image", message: "It is none." },
      retryable: false,
    }));
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("sends who has used up the trial to the operator's own page", async () => {
    overrideSettings({ UPGRADE_URL: "https://example.com/pricing" });
    await useTokens(client.accountId, 100);
    const { body } = await create(imageJob(await uploads(client, 1)));
    expect(body.upgradeUrl).toBe("https://example.com/pricing");
  });

  it("payment_required: a blocked account creates no job, whatever it asks for", async () => {
    client = await newClient("blocked");
    const tasks = await uploads(client, 1);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "payment_required");
    expect(answer.body.upgradeUrl).toBe("https://api.test");
    expect(answer.body).not.toHaveProperty("remainingTokens");
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });
});

const backlog = async (): Promise<number> => (await env.TRIAL_QUEUE.metrics()).backlogCount;

/** Puts messages into the trial queue; none of them is of a job. */
async function fill(count: number): Promise<void> {
  await env.TRIAL_QUEUE.sendBatch(
    Array.from({ length: count }, (_, i) => ({ body: { v: 1, jobId: "job_other", taskId: `${i}.png` } })),
  );
}

/** Empties the trial queue of what earlier tests left there: a hundred messages are a batch, which is delivered. */
const empty = () =>
  expect
    .poll(async () => {
      const waiting = await backlog();
      if (waiting > 0) await fill(100 - waiting);
      return waiting;
    })
    .toBe(0);

describe("createJob 503", () => {
  beforeEach(empty);

  it("trial_queue_full: more tasks wait in the trial queue than the setting allows; nothing is left behind", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 10 });
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    await fill(17);
    await expect.poll(backlog).toBe(17);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 503, "trial_queue_full");
    expect(answer.body.retryAfterSeconds).toBe(7);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
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
    await expect.poll(backlog).toBe(20);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("refuses nobody because the queue can't say how much waits in it", async () => {
    vi.spyOn(Queues.prototype, "trialBacklog").mockRejectedValueOnce(new Error("no metrics"));
    const client = await newClient("trial");
    expect((await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 1)))).status).toBe(202);
  });
});
