import { describe, expect, it, vi } from "vitest";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { type Answer, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { failure, finishJob, FakeInference } from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { traces } from "../../support/worker/fixtures/ledger.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

describe("the tasks of a day", () => {
  const tasksOf = async (): Promise<number | null> =>
    home.DB.prepare("SELECT tasks FROM daily_use").first<number>("tasks");

  it("of a trial are limited, whether they succeed or fail: garbage gives its tokens back, and costs as much", async () => {
    overrideSettings({ TRIAL_MAX_TASKS_PER_DAY: 4 });
    const client = await newClient("trial");
    const inference = new FakeInference();
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
    const inference = new FakeInference();
    for (let i = 0; i < 2; i += 1) {
      const { jobId, tasks } = await newJob(client, 2);
      await finishJob(inference, client.accountId, jobId, tasks, () => failure(false));
    }
    const answer = await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 1)));
    expectError(answer, 402, "daily_limit_reached");
    expect(answer.body.message).toContain("failed ones included, is 4;");
    expect((await client.send("GET", "/v1/account/overview")).body.access.canCreateJobs).toBe(false);
  });

  it("are exactly as many as fit, with any number of concurrent jobs", async () => {
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

  it("leave out those of a job that was never accepted: a failing queue is not the account's fault", async () => {
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
