import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import {
  callBack,
  deliverTask,
  failure,
  finishJob,
  FakeInference,
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
import { entriesOf, traces } from "../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

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

  it("gets back the units that its jobs did not use: those of failed tasks", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 3 });
    const client = await newClient();
    const { jobId, tasks } = await newJob(client, 3);
    const create = () => client.send("POST", "/v1/jobs", imageJob(tasks.slice(0, 2)));
    expectError(await create(), 402, "daily_limit_reached");
    await finishJob(new FakeInference(), client.accountId, jobId, tasks, () => failure(false));
    expect((await create()).status).toBe(202);
  });

  it("follows the account's own limit if it has one [4.3-41]", async () => {
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

  describe("counts the processed frames of a free video", () => {
    const LIMIT = 100;
    const FRAMES = 60;
    let client: Client;
    let inference: FakeInference;
    beforeEach(async () => {
      overrideSettings({ MAX_UNITS_PER_DAY: LIMIT });
      client = await newClient();
      inference = new FakeInference();
    });

    /** Creates a video in progress, whose holder has reported this many frames. */
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

    it("because it was canceled", async () => {
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

    it("in lost attempts, up to the reservation", async () => {
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

    it("before its first report: one frame each, so that a day has no more videos than units", async () => {
      const jobId = await underWay(0);
      await client.send("POST", `/v1/jobs/${jobId}/cancel`);
      await isFree(jobId);
      expect(await leftOfDay()).toBe(LIMIT - 1);
    });

    it("and charges a successful job's units", async () => {
      const jobId = await underWay(30);
      await callBack(inference.last, "complete", videoSuccess(40));
      await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
      expect(await leftOfDay()).toBe(LIMIT - 40);
    });
  });

  it("accepts exactly as many concurrent jobs as the day has units [4.3-41]", async () => {
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
