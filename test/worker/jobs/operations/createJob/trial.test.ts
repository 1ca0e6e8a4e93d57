import { beforeEach, describe, expect, it, vi } from "vitest";
import { ask } from "../../../../../src/shared/storage/d1-store.ts";
import { at } from "../../../../support/at.ts";
import { type Answer, type Client, newClient } from "../../../../support/worker/client/api.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import {
  deliver,
  finishJob,
  FakeInference,
  taskMessage,
} from "../../../../support/worker/fakes/inference.ts";
import {
  GIF,
  imageJob,
  JPEG,
  listedJobs,
  newJob,
  PNG,
  presign,
  uploaded,
  uploads,
  videoJob,
  WEBP,
} from "../../../../support/worker/fixtures/jobs.ts";
import { traces, useTokens } from "../../../../support/worker/fixtures/ledger.ts";
import { planOf } from "../../../../support/worker/runtime/query-plans.ts";
import { overrideSettings } from "../../../../support/worker/runtime/settings.ts";
import { later } from "../../../../support/worker/runtime/time.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

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

  it("trial_limit_exceeded: the free trial takes 3 images a job [8-3 4.3-32 4.3-34]", async () => {
    const tasks = await uploads(client, 4);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "trial_limit_exceeded");
    expect(answer.body).toMatchObject({
      remainingTokens: 100,
      requestedTokens: 4,
      upgradeUrl: "https://api.test/studio/usage",
    });
    expect(answer.body).not.toHaveProperty("expiresAt");
    await nothingIsLeft();
    expect((await create(imageJob(tasks.slice(1)))).status).toBe(202);
  });

  it("trial_video_unsupported: the free trial takes no video, uploaded or not [8-5 4.3-34]", async () => {
    const answer = await create(videoJob(await presign(client, "video/mp4"), { maxFrames: 7 }));
    expectError(answer, 402, "trial_video_unsupported");
    expect(answer.body).toMatchObject({ remainingTokens: 100, requestedTokens: 7 });
    await nothingIsLeft();
  });

  it.each([
    ["a GIF", GIF, "image/gif"],
    ["a GIF that is sent as a PNG", GIF, "image/png"],
    ["bytes of no known kind", new TextEncoder().encode("hello"), "image/jpeg"],
  ])(
    "trial_format_unsupported: %s is recognized by its bytes, not by its name [8-4 4.3-34]",
    async (_, bytes, contentType) => {
      const tasks = [await uploaded(client), await uploaded(client, bytes, contentType)];
      const answer = await create(imageJob(tasks));
      expectError(answer, 402, "trial_format_unsupported");
      expect(answer.body.message).toContain(tasks[1]);
      expect(answer.body).toMatchObject({ remainingTokens: 100, requestedTokens: 2 });
      await nothingIsLeft();
    },
  );

  it("accepts JPEG, PNG and WebP by their bytes, under any name [8-4 4.3-34]", async () => {
    const contentType = "image/x-raw";
    const tasks = await Promise.all([JPEG, PNG, WEBP].map((bytes) => uploaded(client, bytes, contentType)));
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("trial_expired: the free trial ends 14 days after the first accepted job, with tokens left [4.3-18 7-4 7-11 4.3-33 4.3-39]", async () => {
    const begun = Date.now() - 14 * DAY;
    await useTokens(client.accountId, 1, begun);
    const answer = await create(imageJob(await uploads(client, 1)));
    expectError(answer, 402, "trial_expired");
    expect(answer.body).toMatchObject({
      remainingTokens: 99,
      requestedTokens: 1,
      expiresAt: new Date(begun + 14 * DAY).toISOString(),
      upgradeUrl: "https://api.test/studio/usage",
    });
  });

  it("is not expired a minute before [4.3-33]", async () => {
    await useTokens(client.accountId, 1, Date.now() - 14 * DAY + 60_000);
    expect((await create(imageJob(await uploads(client, 1)))).status).toBe(202);
  });

  it("trial_exhausted: no token is left [4.3-18 7-4 7-11 4.3-39]", async () => {
    await useTokens(client.accountId, 100);
    const answer = await create(imageJob(await uploads(client, 1)));
    expectError(answer, 402, "trial_exhausted");
    expect(answer.body).toMatchObject({
      remainingTokens: 0,
      requestedTokens: 1,
      upgradeUrl: "https://api.test/studio/usage",
    });
    expect(Date.parse(answer.body.expiresAt)).toBeGreaterThan(Date.now() + 13 * DAY);
  });

  it("trial_insufficient: fewer tokens are left than the job needs; a smaller one is taken [4.3-18 7-4]", async () => {
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
    await finishJob(new FakeInference(), client.accountId, jobId, tasks, () => ({
      outcome: "failed",
      problem: { code: "not_an_image", message: "It is none." },
      retryable: false,
    }));
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("names the operator's page when the trial is used up [7-11]", async () => {
    overrideSettings({ UPGRADE_URL: "https://example.com/pricing" });
    await useTokens(client.accountId, 100);
    const { body } = await create(imageJob(await uploads(client, 1)));
    expect(body.upgradeUrl).toBe("https://example.com/pricing");
  });

  it("names the service's address without an upgrade page and without the studio [7-11]", async () => {
    overrideSettings({ STUDIO: false });
    await useTokens(client.accountId, 100);
    const { body } = await create(imageJob(await uploads(client, 1)));
    expect(body.upgradeUrl).toBe("https://api.test");
  });

  it("email_unverified: the free trial is for verified e-mail addresses; nothing is left behind [4.3-35]", async () => {
    await home.DB.prepare("UPDATE accounts SET email_verified = 0").run();
    const tasks = await uploads(client, 1);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "email_unverified");
    expect(answer.body.message).toContain("Verify it");
    expect(answer.body.upgradeUrl).toBe("https://api.test/studio/usage");
    await nothingIsLeft();
    expect((await client.send("GET", "/v1/account/overview")).body.access).toMatchObject({
      reason: "trial_eligible",
      canCreateJobs: false,
    });

    await home.DB.prepare("UPDATE accounts SET email_verified = 1").run();
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("takes an unverified e-mail address if the operator asks for no other, and of an account that pays [4.3-35]", async () => {
    await home.DB.prepare("UPDATE accounts SET email_verified = 0").run();
    const tasks = await uploads(client, 1);
    await home.DB.prepare("UPDATE accounts SET plan = 'paid'").run();
    expect((await create(imageJob(tasks))).status).toBe(202);
    await home.DB.prepare("UPDATE accounts SET plan = 'trial'").run();
    overrideSettings({ TRIAL_REQUIRES_VERIFIED_EMAIL: false, TRIAL_MAX_ACTIVE_JOBS: 2 });
    expect((await create(imageJob(tasks))).status).toBe(202);
  });

  it("payment_required: a blocked account creates no job of any kind [4.3-42]", async () => {
    client = await newClient("blocked");
    const tasks = await uploads(client, 1);
    const answer = await create(imageJob(tasks));
    expectError(answer, 402, "payment_required");
    expect(answer.body.upgradeUrl).toBe("https://api.test/studio/usage");
    expect(answer.body).not.toHaveProperty("remainingTokens");
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });
});

/** Requests one job with one picture for each of this many trial accounts, at once. */
async function jobsAtOnce(count: number): Promise<Answer[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => newClient("trial")));
  const jobs = await Promise.all(
    clients.map(async (client) => ({ client, body: imageJob(await uploads(client, 1)) })),
  );
  return Promise.all(jobs.map(({ client, body }) => client.send("POST", "/v1/jobs", body)));
}

const accepted = (answers: readonly Answer[]): string[] =>
  answers.filter(({ status }) => status === 202).map(({ body }) => body.jobId);

/** Returns the indexes that a statement of the trial lane reads. */
async function indexesOf(statement: string): Promise<string[]> {
  return (await planOf(statement)).filter((detail) => detail.includes("jobs"));
}

describe("createJob 503", () => {
  it("trial_queue_full: more tasks of trials would be open than the setting allows; nothing is left behind [4.3-21 7-10 7-12 4.3-32 4.3-43]", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 10 });
    const others = await Promise.all(Array.from({ length: 3 }, () => newClient("trial")));
    for (const other of others) await newJob(other, 3);
    const before = await traces();
    const client = await newClient("trial");
    const tasks = await uploads(client, 2);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 503, "trial_queue_full");
    expect(answer.body.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
    expect(answer.body.upgradeUrl).toBe("https://api.test/studio/usage");
    expect(await traces()).toEqual(before);
    const { body } = await client.send("GET", "/v1/account/overview");
    expect(body.trial).toMatchObject({ status: "eligible", remainingTokens: 100, startedAt: null });

    expect((await client.send("POST", "/v1/jobs", imageJob(tasks.slice(1)))).status).toBe(202);
  });

  it("counts tasks that the inference service turned away, which wait in no queue", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 5 });
    const inference = new FakeInference();
    inference.answer = () => new Response(null, { status: 429, headers: { "retry-after": "2" } });
    for (let i = 0; i < 8; i += 1) {
      const client = await newClient("trial");
      const [taskId = ""] = await uploads(client, 1);
      const { body } = await client.send("POST", "/v1/jobs", imageJob([taskId]));
      if (body.jobId !== undefined) await deliver("segmentation-trial", taskMessage(body.jobId, taskId));
    }
    expect(await listedJobs()).toBe(5);
  });

  it("accepts exactly as many tasks as fit, with any number of concurrent jobs [4.3-43]", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 5 });
    const answers = await jobsAtOnce(20);
    expect(accepted(answers)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expectError(answer, 503, "trial_queue_full");
    expect(await listedJobs()).toBe(5);
  });

  it("has room again as soon as a job has ended, and estimates from the pace when that will be [4.3-43]", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 3 });
    const inference = new FakeInference();
    const worker = await newClient("trial");
    const first = await newJob(worker, 2);
    const client = await newClient("trial");
    const tasks = await uploads(client, 2);
    const create = () => client.send("POST", "/v1/jobs", imageJob(tasks));

    // Two tasks end within forty seconds of a lane that is never empty.
    later(20_000);
    const second = await newJob(await newClient("trial"), 1);
    later(20_000);
    await finishJob(inference, worker.accountId, first.jobId, first.tasks);
    await newJob(worker, 2);
    await home.DB.prepare("UPDATE jobs SET created_at = created_at - 20000 WHERE id = ?1")
      .bind(second.jobId)
      .run();
    const answer = await create();
    expectError(answer, 503, "trial_queue_full");
    // Two have to end: 40 s, and perhaps the part of a second that this test has taken.
    expect(answer.body.retryAfterSeconds).toBeGreaterThanOrEqual(40);
    expect(answer.body.retryAfterSeconds).toBeLessThan(60);

    const open = await worker.send("GET", "/v1/jobs?status=queued");
    const { jobId } = at<{ jobId: string }>(open.body.items, 0);
    const status = await worker.send("GET", `/v1/jobs/${jobId}`);
    await finishJob(
      inference,
      worker.accountId,
      jobId,
      status.body.tasks.map(({ taskId }: { taskId: string }) => taskId),
    );
    expect((await create()).status).toBe(202);
  });

  it("lets a paid account pass while the trial lane is full [4.3-43]", async () => {
    overrideSettings({ TRIAL_MAX_BACKLOG: 1 });
    await newJob(await newClient("trial"), 3);
    const client = await newClient("paid");
    const tasks = await uploads(client, 1);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("reads only indexes of trial jobs, with any number of jobs", async () => {
    const statements: string[] = [];
    const prepare = home.DB.prepare.bind(home.DB);
    vi.spyOn(home.DB, "prepare").mockImplementation((sql) => {
      statements.push(sql);
      return prepare(sql);
    });
    const { trialLane, uploads: presigned } = home.platform;
    await ask(home.DB, presigned.preconditions("", [], { unused: 0, used: 0 }, true));
    await trialLane.pace(0, 1);
    vi.restoreAllMocks();
    const plans = await Promise.all(statements.map(indexesOf));
    expect(plans.flat()).toEqual(
      expect.arrayContaining([
        expect.stringContaining("jobs_trial_open"),
        expect.stringContaining("jobs_trial_ended"),
      ]),
    );
    // The account's own jobs are found by their status.
    for (const detail of plans.flat())
      expect(detail).toMatch(/USING (?:INDEX jobs_trial_(?:open|ended)|COVERING INDEX jobs_by_status)/);
  });
});
