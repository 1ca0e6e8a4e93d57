import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliver,
  deliverTask,
  finishJob,
  FakeInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { CRONS, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { operate, TOKEN } from "../../support/worker/client/operator.ts";

const HOUR = 3_600_000;

const ABSENT = `job_${"0".repeat(32)}`;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe("the operator's API", () => {
  it("does not exist without its token in the settings, and is closed to every other", async () => {
    const { settings } = home.platform;
    const token = vi.spyOn(settings, "OPERATOR_TOKEN", "get").mockReturnValue(undefined);
    expectError(await operate("GET", "/stuck-jobs"), 404, "not_found");
    token.mockRestore();
    for (const wrong of [`${TOKEN}s`, TOKEN.slice(1), client.key]) {
      expectError(await operate("GET", "/stuck-jobs", undefined, wrong), 401, "Unauthorized");
    }
    expect((await operate("GET", "/stuck-jobs")).status).toBe(200);
    expectError(await operate("GET", "/everything"), 404, "not_found");
    expectError(await operate("GET", `/jobs/${ABSENT}`), 404, "job_not_found");
    expectError(await operate("POST", `/jobs/${ABSENT}/wake`), 404, "job_not_found");
    expectError(await operate("POST", `/jobs/${ABSENT}/cancel`), 404, "job_not_found");
    expectError(await operate("POST", "/relist", { objectIds: ["x"], dryRun: true }), 400, "invalid_request");
  });

  it("explains a missing job with all that the operator can know", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/wake"],
      ["POST", "/cancel"],
    ] as const) {
      const { body } = await operate(method, `/jobs/${ABSENT}${path}`);
      expect(body.message).toMatch(new RegExp(`^No JobObject knows the job ${ABSENT}: `));
      const odd = await operate(method, `/jobs/job_1${path}`);
      expectError(odd, 404, "job_not_found");
      expect(odd.body.message).toMatch(/^A job's id is job_ and 32 hexadecimal digits/);
    }
  });

  it("shows a job's tasks with attempts and leases, and its alarm", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    void new FakeInference();
    await deliverTask(jobId, tasks[0] ?? "");
    const { body } = await operate("GET", `/jobs/${jobId}`);
    expect(body).toMatchObject({
      jobId,
      accountId: client.accountId,
      phase: "running",
      status: "processing",
    });
    expect(body.tasks).toMatchObject([
      { taskId: tasks[0], at: "leased", lease: 1, attempts: 1 },
      { taskId: tasks[1], at: "sent", attempts: 0, sends: 1 },
    ]);
    expect(body.alarmAt).toBeGreaterThan(Date.now());
  });

  it("wakes a job that has lost its alarm and its row's newest version", async () => {
    const { jobId } = await successfulJob(client);
    await home.DB.prepare("UPDATE jobs SET status = 'queued', version = 0").run();
    await runInDurableObject(env.JOBS.getByName(jobId), (_, { storage }) => storage.deleteAlarm());
    const { body } = await operate("POST", `/jobs/${jobId}/wake`);
    expect(body.alarmAt).toBeGreaterThan(Date.now());
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
  });

  it("lists the jobs that are in progress for long, oldest first, with what their objects say", async () => {
    const old = await newJob(client);
    later(HOUR);
    const newer = await newJob(client);
    later(3 * HOUR);
    await newJob(client);
    const { body } = await operate("GET", "/stuck-jobs?hours=2");
    expect(body.jobs).toMatchObject([
      { jobId: old.jobId, report: { status: "queued" } },
      { jobId: newer.jobId, report: { status: "queued" } },
    ]);
  });
});

describe("the list of stuck jobs", () => {
  it("has the other jobs too if an object can't be reached", async () => {
    const [away, there] = [await newJob(client), await newJob(client)];
    later(2 * HOUR);
    // The operator uses the platform of the first database.
    const platform = home.platform.at();
    const { jobObject } = platform;
    vi.spyOn(platform, "jobObject").mockImplementation((jobId) => {
      if (jobId === away.jobId) throw new Error("the object was reset");
      return jobObject(jobId);
    });
    const { body } = await operate("GET", "/stuck-jobs?hours=1");
    expect(body.jobs).toMatchObject([
      { jobId: away.jobId, answers: false, report: null },
      { jobId: there.jobId, answers: true, report: { status: "queued" } },
    ]);
  });
});

describe("a job that the operator cancels", () => {
  it("fails if it has not ended; its holder is notified, its units come back, and a late report is refused", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    const inference = new FakeInference();
    await finishJob(inference, client.accountId, jobId, tasks.slice(0, 1));
    await deliverTask(jobId, tasks[1] ?? "");
    const held = inference.last;
    expect(await operate("POST", `/jobs/${jobId}/cancel`)).toMatchObject({
      status: 200,
      body: { jobId, canceledTasks: 2 },
    });
    await vi.waitUntil(() => inference.cancelled.length === 1, PATIENT);
    expect(inference.cancelled).toEqual([held.key]);
    expectError(await callBack(held, "complete", success()), 409, "lease_lost");
    const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
    expect(body.status).toBe("success");
    expect(body.tasks[2].error).toMatch(/^canceled: /);
    await ring(jobId);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 3],
      ["settle", 1],
      ["release", 2],
    ]);
    expect((await operate("POST", `/jobs/${jobId}/cancel`)).body.canceledTasks).toBe(0);
  });
});

describe("a dead letter", () => {
  const letters = async () => (await operate("GET", "/dead-letters")).body.letters;
  const count = () => home.DB.prepare("SELECT count(*) AS n FROM dead_letters").first<number>("n");
  const die = (...bodies: object[]) => deliver("segmentation-dead-letters", ...bodies);

  it("is kept with its ids alone, and sent again on the operator's request", async () => {
    const { jobId, taskId } = await newJob(client);
    for (const body of [
      taskMessage(jobId, taskId),
      { v: 1, jobId },
      { secret: "of somebody" },
      { v: 1, jobId: ABSENT },
    ]) {
      await die(body);
      later(1);
    }
    const kept = await letters();
    expect(kept).toHaveLength(4);
    expect(kept).toMatchObject([
      { jobId: ABSENT, taskId: null },
      { jobId: null, taskId: null },
      { jobId, taskId: null },
      { jobId, taskId },
    ]);
    const { queues } = home.platform;
    const sent = vi.spyOn(queues, "sendTasks");
    const archives = vi.spyOn(queues, "sendArchive");
    expect((await operate("POST", "/dead-letters/replay")).body).toEqual({
      replayed: 2,
      dropped: 2,
      away: [],
    });
    expect(sent.mock.calls).toEqual([["interactive", jobId, [taskId], expect.anything()]]);
    expect(archives.mock.calls).toEqual([[jobId]]);
    expect(await letters()).toEqual([]);
  });

  it("stays if it can't be sent", async () => {
    const { jobId, taskId } = await newJob(client);
    await die(taskMessage(jobId, taskId));
    vi.spyOn(home.platform.queues, "sendTasks").mockRejectedValue(new Error("the queue is down"));
    expect((await operate("POST", "/dead-letters/replay")).body).toEqual({
      replayed: 0,
      dropped: 0,
      away: [],
    });
    expect(await letters()).toHaveLength(1);
  });

  it("is kept for 30 days, and never more than a thousand of them", async () => {
    await home.DB.prepare(
      `INSERT INTO dead_letters (at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       SELECT ?1 FROM n`,
    )
      .bind(Date.now())
      .run();
    const { jobId } = await newJob(client);
    await die({ v: 1, jobId });
    expect(await count()).toBe(1_000);
    later(30 * 24 * HOUR);
    await die({ v: 1, jobId: ABSENT });
    later(1);
    await runCron(CRONS.nightly);
    expect(await letters()).toHaveLength(1);
  });

  it("is one of a hundred that a call lists, the newest first, and sends again", async () => {
    await home.DB.prepare(
      `INSERT INTO dead_letters (at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       SELECT i FROM n`,
    ).run();
    const listed: { at: number }[] = await letters();
    expect(listed.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, i) => 250 - i));
    for (const dropped of [100, 100, 50, 0])
      expect((await operate("POST", "/dead-letters/replay")).body).toEqual({
        replayed: 0,
        dropped,
        away: [],
      });
    expect(await letters()).toEqual([]);
  });
});
