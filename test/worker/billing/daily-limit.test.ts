import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { dayOf, usedOnDay } from "../../../src/billing/rules/usage.ts";
import { newId } from "../../../src/shared/ids.ts";
import { defineJob } from "../../../src/jobs/rules/define.ts";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { type Answer, type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  PlayedInference,
  videoSuccess,
} from "../../support/worker/fakes/inference.ts";
import {
  imageJob,
  listedJobs,
  newJob,
  newVideoJob,
  uploads,
  uploaded,
  videoJob,
  MP4,
} from "../../support/worker/fixtures/jobs.ts";
import { costOf, entriesOf, traces, useUnits } from "../../support/worker/fixtures/ledger.ts";
import { amount } from "../../support/worker/client/random.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const DAY = 86_400_000;

describe("createJob 402 of a paying account", () => {
  it("daily_limit_reached: the account's jobs have reserved all units of its day; nothing is left behind [4.3-41]", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 5 });
    const client = await newClient();
    await newJob(client, 4);
    const before = await traces();
    const tasks = await uploads(client, 2);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 402, "daily_limit_reached");
    expect(answer.body.message).toContain("left until 00:00 UTC: 1.");
    expect(answer.body.retryAfterSeconds).toBeLessThanOrEqual(86_400);
    expect(answer.headers.get("retry-after")).toBe(String(answer.body.retryAfterSeconds));
    expect(await traces()).toEqual(before);

    expect((await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs).toBe(true);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks.slice(1)))).status).toBe(202);
    expect((await client.send("GET", "/v1/account/overview")).body.access).toMatchObject({
      reason: "paid_access",
      canCreateJobs: false,
    });

    later(answer.body.retryAfterSeconds * 1_000);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("has the units back that its jobs did not use: those of failed tasks", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 3 });
    const client = await newClient();
    const { jobId, tasks } = await newJob(client, 3);
    const create = () => client.send("POST", "/v1/jobs", imageJob(tasks.slice(0, 2)));
    expectError(await create(), 402, "daily_limit_reached");
    await finishJob(new PlayedInference(), client.accountId, jobId, tasks, () => failure(false));
    expect((await create()).status).toBe(202);
  });

  it("follows the account's own limit where it has one [4.3-41]", async () => {
    const client = await newClient();
    const tasks = await uploads(client, 2);
    const limit = (units: number | null) =>
      home.DB.prepare("UPDATE accounts SET units_per_day = ?1").bind(units).run();
    await limit(1);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 402, "daily_limit_reached");
    expect(answer.body).not.toHaveProperty("retryAfterSeconds");
    await limit(null);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
  });

  it("counts the frames that a video can have", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 100 });
    const client = await newClient();
    const clip = await uploaded(client, MP4, "video/mp4");
    const create = (maxFrames: number) => client.send("POST", "/v1/jobs", videoJob(clip, { maxFrames }));
    expectError(await create(101), 402, "daily_limit_reached");
    expect((await create(60)).status).toBe(202);
    expectError(await create(41), 402, "daily_limit_reached");
  });

  describe("counts what was processed of a clip that costs its account nothing", () => {
    const LIMIT = 100;
    const FRAMES = 60;
    let client: Client;
    let inference: PlayedInference;
    beforeEach(async () => {
      overrideSettings({ MAX_UNITS_PER_DAY: LIMIT });
      client = await newClient();
      inference = new PlayedInference();
    });

    /** A clip that is under way; its holder has reported so many frames. */
    const underWay = async (done: number): Promise<string> => {
      const { jobId, taskId } = await newVideoJob(client, { maxFrames: FRAMES });
      await deliverTask(jobId, taskId);
      if (done > 0) await callBack(inference.last, "progress", { done, total: FRAMES });
      return jobId;
    };
    const leftOfDay = async (): Promise<number> => {
      const { daily } = await home.platform.ledger.use(client.accountId);
      return LIMIT - daily.units;
    };
    const isFree = async (jobId: string): Promise<void> =>
      expect
        .poll(() => entriesOf(jobId))
        .toEqual([
          ["reserve", FRAMES],
          ["settle", 0],
          ["release", FRAMES],
        ]);

    it("because it was cancelled", async () => {
      const jobId = await underWay(45);
      await client.send("POST", `/v1/jobs/${jobId}/cancel`);
      await isFree(jobId);
      expect(await leftOfDay()).toBe(LIMIT - 45);
      const clip = await uploaded(client, MP4, "video/mp4");
      const create = (maxFrames: number) => client.send("POST", "/v1/jobs", videoJob(clip, { maxFrames }));
      expectError(await create(LIMIT - 44), 402, "daily_limit_reached");
      expect((await create(LIMIT - 45)).status).toBe(202);
    });

    it("because it failed, or was deleted", async () => {
      const failed = await underWay(20);
      await callBack(inference.last, "complete", failure(false));
      await isFree(failed);
      const deleted = await underWay(10);
      await client.send("DELETE", `/v1/jobs/${deleted}`);
      await isFree(deleted);
      expect(await leftOfDay()).toBe(LIMIT - 30);
    });

    it("in attempts that were lost, up to what it reserved", async () => {
      const jobId = await underWay(25);
      await callBack(inference.last, "complete", failure(true));
      later(61_000);
      const { tasks } = (await client.send("GET", `/v1/jobs/${jobId}`)).body;
      await deliverTask(jobId, tasks[0].taskId);
      await callBack(inference.last, "progress", { done: 10, total: FRAMES });
      await client.send("POST", `/v1/jobs/${jobId}/cancel`);
      await isFree(jobId);
      expect(await leftOfDay()).toBe(LIMIT - 35);
    });

    it("before its first report: one frame each, so that a day has no more clips than units", async () => {
      const jobId = await underWay(0);
      await client.send("POST", `/v1/jobs/${jobId}/cancel`);
      await isFree(jobId);
      expect(await leftOfDay()).toBe(LIMIT - 1);
    });

    it("and of one that succeeds what it is charged", async () => {
      const jobId = await underWay(30);
      await callBack(inference.last, "complete", videoSuccess(40));
      await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
      expect(await leftOfDay()).toBe(LIMIT - 40);
    });
  });

  it("lets in exactly as many jobs as the day has units, however many come at once [4.3-41]", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 5 });
    const client = await newClient();
    const tasks = await uploads(client, 1);
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 20 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expectError(answer, 402, "daily_limit_reached");
    expect(await listedJobs()).toBe(5);
  });
});

describe("the tasks of a day", () => {
  const tasksOf = async (): Promise<number | null> =>
    home.DB.prepare("SELECT tasks FROM daily_use").first<number>("tasks");

  it("of a trial are limited, whether they succeed or fail: garbage gives its tokens back, and costs as much", async () => {
    overrideSettings({ TRIAL_MAX_TASKS_PER_DAY: 4 });
    const client = await newClient("trial");
    const inference = new PlayedInference();
    const failJob = async (count: number) => {
      const { jobId, tasks } = await newJob(client, count);
      await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    };
    await failJob(1);
    await failJob(2);
    const before = await traces();
    const tasks = await uploads(client, 2);
    const answer = await client.send("POST", "/v1/jobs", imageJob(tasks));
    expectError(answer, 402, "daily_limit_reached");
    expect(answer.body.message).toContain("Tasks of the job: 2.");
    expect(answer.body.message).toContain(
      "limit per day (UTC), failed ones included, is 4; left until 00:00 UTC: 1.",
    );
    expect(await traces()).toEqual(before);
    await failJob(1);
    const { trial, access } = (await client.send("GET", "/v1/account/overview")).body;
    expect(trial).toMatchObject({ status: "active", consumedTokens: 0 });
    expect(access).toMatchObject({ canCreateJobs: false });

    later(answer.body.retryAfterSeconds * 1_000);
    expect((await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs).toBe(true);
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
    expect(await tasksOf()).toBe(2);
  });

  it("of a paying account are twice its units, so that it cannot have tasks fail all day at no charge", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 2 });
    const client = await newClient();
    const inference = new PlayedInference();
    for (let i = 0; i < 2; i += 1) {
      const { jobId, tasks } = await newJob(client, 2);
      await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    }
    const answer = await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 1)));
    expectError(answer, 402, "daily_limit_reached");
    expect(answer.body.message).toContain("failed ones included, is 4;");
    expect((await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs).toBe(false);
  });

  it("are exactly as many as fit, however many jobs come at once", async () => {
    overrideSettings({ TRIAL_MAX_TASKS_PER_DAY: 5, TRIAL_MAX_ACTIVE_JOBS: 100 });
    const client = await newClient("trial");
    const tasks = await uploads(client, 1);
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 20 }, () => client.send("POST", "/v1/jobs", imageJob(tasks))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expectError(answer, 402, "daily_limit_reached");
    expect(await tasksOf()).toBe(5);
  });

  it("leave out those of a job that was never accepted: that the queue fails is not the account's doing", async () => {
    const client = await newClient("trial");
    const tasks = await uploads(client, 3);
    const failing = vi
      .spyOn(Queues.prototype, "sendTasks")
      .mockImplementation(() => Promise.reject(new Error("no queue")));
    expectError(await client.send("POST", "/v1/jobs", imageJob(tasks)), 502, "enqueue_failed");
    expect(await tasksOf()).toBe(0);
    failing.mockRestore();
    expect((await client.send("POST", "/v1/jobs", imageJob(tasks))).status).toBe(202);
    expect(await tasksOf()).toBe(3);
  });
});

/** A job as the model has it. */
interface ModelJob {
  readonly jobId: string;
  readonly reserved: number;
  readonly day: number;
  held: number;
  hasEnded: boolean;
}

describe("the use of a day", () => {
  const LIMIT = 10;
  const request = CreateJobRequest.parse({
    type: "image",
    prompts: ["cat"],
    tasks: ["00000000-0000-4000-8000-000000000000.png"],
  });

  const insert = async (accountId: string, units: number, now: number) => {
    const job = defineJob({ accountId, accessMode: "paid" }, request, newId("job"), now);
    const listing = await home.platform.jobs.insert(job, {
      maxActiveJobs: 1_000,
      maxTrialBacklog: 1,
      maxUnitsPerDay: LIMIT,
      maxTasksPerDay: 1_000,
      maxMeteredUnits: null,
      files: 1,
      maxFilesPerDay: 1_000_000_000,
      units,
      fund: "paid",
      offer: { version: "v1", tokens: 1, days: 1 },
    });
    return { jobId: job.jobId, units, ...listing };
  };

  it("agrees with a model of it, whatever jobs come at once, end, fail or are withdrawn, on whatever day [4.3-41]", async () => {
    const anyStep = fc.oneof(
      fc.record({
        kind: fc.constant("at once" as const),
        units: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({
        kind: fc.constant("settle" as const),
        job: fc.nat(9),
        used: fc.nat(6),
        processed: fc.nat(9),
      }),
      fc.record({ kind: fc.constant("withdraw" as const), job: fc.nat(9) }),
      fc.record({ kind: fc.constant("pass" as const), hours: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30 }), async (steps) => {
        const { accountId } = await newClient();
        const known: ModelJob[] = [];
        let now = Date.UTC(2026, 0, 15, 12);
        const used = () =>
          known.filter(({ day }) => day === dayOf(now)).reduce((sum, { held }) => sum + held, 0);
        for (const step of steps) {
          if (step.kind === "pass") {
            now += step.hours * 3_600_000;
          } else if (step.kind === "at once") {
            const answers = await Promise.all(step.units.map((units) => insert(accountId, units, now)));
            for (const { jobId, units, listed } of answers)
              if (listed)
                known.push({ jobId, reserved: units, held: units, day: dayOf(now), hasEnded: false });
            // Nothing was given back meanwhile: who was refused did not fit.
            for (const { units, listed } of answers)
              if (!listed) expect(used() + units).toBeGreaterThan(LIMIT);
          } else {
            const job = known[step.job];
            if (job === undefined || job.hasEnded) continue;
            job.hasEnded = true;
            if (step.kind === "withdraw") {
              job.held = 0;
              await home.platform.jobs.withdraw(job.jobId, now);
            } else {
              job.held = Math.min(Math.max(step.used, step.processed), job.reserved);
              const end = { version: 2, status: "success", error: null, updatedAt: now } as const;
              const cost = { ...costOf(step.used), processedUnits: step.processed };
              await home.platform.jobs.project({ jobId: job.jobId, cost, ...end });
            }
          }
          expect(used()).toBeLessThanOrEqual(LIMIT);
          expect(usedOnDay((await home.platform.ledger.use(accountId)).daily, now).units).toBe(used());
        }
      }),
      { numRuns: amount({ short: 10, long: 1_000 }), seed: Number(env.SEED) },
    );
  });

  it("is not got around by a job that was asked for before midnight and is listed after it", async () => {
    const { accountId } = await newClient();
    const midnight = Date.UTC(2026, 0, 16);
    expect((await insert(accountId, 8, midnight)).listed).toBe(true);
    expect((await insert(accountId, 3, midnight - 1)).listed).toBe(false);
    expect((await insert(accountId, 2, midnight - 1)).listed).toBe(true);
    expect((await insert(accountId, 1, midnight + 1)).listed).toBe(false);
    expect((await insert(accountId, 10, midnight + DAY)).listed).toBe(true);
  });

  it("has none of the jobs of days before that are listed again after a database was restored", async () => {
    const { accountId } = await newClient();
    const midnight = Date.UTC(2026, 0, 16);
    await useUnits(accountId, 2, midnight + 1);
    await useUnits(accountId, 7, midnight - 2 * 3_600_000);
    expect((await home.platform.ledger.use(accountId)).daily).toMatchObject({
      day: dayOf(midnight),
      units: 2,
    });
  });

  it("is one row of an account, however many jobs it has, and other accounts' is their own", async () => {
    const [one, other] = [(await newClient()).accountId, (await newClient()).accountId];
    for (let day = 0; day < 3; day += 1) await useUnits(one, 4, day * DAY);
    await useUnits(other, 7, 0);
    const { results } = await home.DB.prepare(
      "SELECT account_id, day, units FROM daily_use ORDER BY units",
    ).all();
    expect(results).toEqual([
      { account_id: one, day: 2, units: 4 },
      { account_id: other, day: 0, units: 7 },
    ]);
  });
});
