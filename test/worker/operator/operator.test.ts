import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { checkLedger } from "../../../scripts/operate/admin/ledger-check.ts";
import { closeBooks } from "../../../src/billing/operations/close-books.ts";
import { eraseAccount } from "../../../src/operator/operations/erase-account.ts";
import { type Client, newClient, send, type Answer } from "../../support/worker/client/api.ts";
import { ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliver,
  deliverTask,
  finishJob,
  PlayedInference,
  success,
  taskMessage,
} from "../../support/worker/fakes/inference.ts";
import { CRONS, runCron } from "../../support/worker/runtime/crons.ts";
import { database } from "../../support/worker/runtime/database.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf, makeCustomer, settledJob, traces } from "../../support/worker/fixtures/ledger.ts";
import { loseJobs } from "../../support/worker/fixtures/restore.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { storedOf } from "../../support/worker/runtime/traces.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const HOUR = 3_600_000;
const TOKEN = "an-operator-token-for-the-tests-alone";
const ABSENT = `job_${"0".repeat(32)}`;

const operate = (method: string, path: string, body?: unknown, token = TOKEN): Promise<Answer> =>
  send(method, `/internal/operator${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const allObjects = async (): Promise<string[]> => (await listDurableObjectIds(env.JOBS)).map(String);
/** The runtime keeps listing the objects of earlier tests, thousands of them, although they are empty. */
let earlierObjects: ReadonlySet<string>;

/** Asks all objects of this test to list themselves, and says what was found. */
async function relist(dryRun = false): Promise<Record<string, string>> {
  const objectIds = (await allObjects()).filter((id) => !earlierObjects.has(id));
  const found: [string, string][] = [];
  for (let i = 0; i < objectIds.length; i += 50) {
    const { status, body } = await operate("POST", "/relist", {
      objectIds: objectIds.slice(i, i + 50),
      dryRun,
    });
    expect(status).toBe(200);
    for (const { jobId, found: what } of body.objects) if (what !== "empty") found.push([jobId, what]);
  }
  return Object.fromEntries(found);
}

let client: Client;
beforeEach(async () => {
  client = await newClient();
  earlierObjects = new Set(await allObjects());
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

  it("says of a job that is not there what the operator can know: the operator has no account", async () => {
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
    void new PlayedInference();
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

  it("lists the jobs that are under way for long, oldest first, with what their objects say", async () => {
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
  it("has the other jobs too where an object can't be reached", async () => {
    const [away, there] = [await newJob(client), await newJob(client)];
    later(2 * HOUR);
    // The operator asks the platform of the first database.
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
  it("fails where it has not ended; its holder is notified, its units come back, and a late report is refused", async () => {
    const { jobId, tasks } = await newJob(client, 3);
    const inference = new PlayedInference();
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

  it("is kept with its ids alone, and sent again when the operator says so", async () => {
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

describe("relist, after a restore of an older database,", () => {
  const everything = async () => ({
    jobs: (await home.DB.prepare("SELECT * FROM jobs ORDER BY id").all()).results,
    ledger: (
      await home.DB.prepare("SELECT job_id, kind, fund, units, at FROM ledger ORDER BY job_id, kind").all()
    ).results,
    uploads: (await home.DB.prepare("SELECT task_id, account_id, unused FROM uploads ORDER BY task_id").all())
      .results,
  });

  it("writes back what was lost: rows, reservations, settlements, uploads. Twice is as good as once", async () => {
    const trial = await newClient("trial");
    const ended = await successfulJob(client, 2);
    const underWay = await newJob(client, 2);
    const tried = await newJob(trial);
    const before = await everything();
    await loseJobs();

    const lost = { [ended.jobId]: "missing", [underWay.jobId]: "missing", [tried.jobId]: "missing" };
    expect(await relist(true)).toEqual(lost);
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
    expect(await relist()).toEqual(lost);
    expect(await everything()).toEqual(before);
    const listed = { [ended.jobId]: "listed", [underWay.jobId]: "listed", [tried.jobId]: "listed" };
    expect(await relist()).toEqual(listed);
    expect(await everything()).toEqual(before);
  });

  it("brings back what a row has lost, and what ended meanwhile is settled", async () => {
    const { jobId, tasks } = await newJob(client);
    const old = await home.DB.prepare("SELECT status, version FROM jobs").first<{ version: number }>();
    await finishJob(new PlayedInference(), client.accountId, jobId, tasks);
    await ring(jobId);
    await home.DB.batch([
      home.DB.prepare("DROP TRIGGER ledger_is_not_erased"),
      home.DB.prepare("DELETE FROM ledger WHERE kind <> 'reserve'"),
      home.DB.prepare("UPDATE jobs SET status = 'queued', version = ?1").bind(old?.version ?? 0),
    ]);
    expect(await relist()).toEqual({ [jobId]: "behind" });
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 1],
      ["settle", 1],
      ["release", 0],
    ]);
  });

  it("settles a job as ever if it ended after the loss", async () => {
    const { jobId, tasks } = await newJob(client);
    await loseJobs();
    await finishJob(new PlayedInference(), client.accountId, jobId, tasks);
    await ring(jobId);
    expect(await relist()).toEqual({ [jobId]: "missing" });
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
    expect(Object.fromEntries(await entriesOf(jobId))).toEqual({ reserve: 1, settle: 1, release: 0 });
  });

  it("never reports use twice: what may have been reported waits for somebody to look", async () => {
    await makeCustomer(client.accountId, "active");
    await successfulJob(client);
    await home.DB.prepare("DELETE FROM meter_events").run();
    await loseJobs();
    await relist();
    const { results } = await home.DB.prepare(
      "SELECT units, first_tried_at, sent_at FROM meter_events",
    ).all();
    expect(results).toEqual([{ units: 1, first_tried_at: 0, sent_at: null }]);
  });

  it("is not needed for the end of a job that is still listed: whatever wakes it, its use is not reported twice", async () => {
    await makeCustomer(client.accountId, "active");
    const { jobId } = await successfulJob(client);
    await home.DB.batch(
      [
        "DROP TRIGGER ledger_is_not_erased",
        "DELETE FROM ledger WHERE kind <> 'reserve'",
        "DELETE FROM meter_events",
        "UPDATE jobs SET status = 'queued', version = 1",
      ].map((statement) => home.DB.prepare(statement)),
    );
    await ring(jobId);
    await operate("POST", `/jobs/${jobId}/wake`);
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
    const { results } = await home.DB.prepare(
      "SELECT units, first_tried_at, sent_at FROM meter_events",
    ).all();
    expect(results).toEqual([{ units: 1, first_tried_at: 0, sent_at: null }]);
  });

  it("erases the jobs of an account that was erased while they were lost, and writes back the others'", async () => {
    const { jobId, tasks } = await newJob(client, 2);
    await finishJob(new PlayedInference(), client.accountId, jobId, tasks.slice(0, 1));
    const other = await newJob(await newClient());
    await loseJobs();
    await eraseAccount(home.platform, client.accountId, Date.now());
    const found = { [jobId]: "account_erased", [other.jobId]: "missing" };
    expect(await relist(true)).toEqual(found);
    expect(await relist()).toEqual(found);
    expect(await relist()).toEqual({ [other.jobId]: "listed" });
    expect(await storedOf(jobId)).toEqual([]);
    expect((await env.MEDIA.list({ prefix: `outputs/${client.accountId}/` })).objects).toEqual([]);
  });

  it("continues where an object can't be reached, names it, and brings it back the next time", async () => {
    const { jobId } = await newJob(client);
    const other = await newJob(client);
    await loseJobs();
    // The operator asks the platform of the first database.
    const platform = home.platform.at();
    const objectId = String(env.JOBS.idFromName(jobId));
    const { jobObjectById } = platform;
    const away = vi.spyOn(platform, "jobObjectById").mockImplementation((id) => {
      if (id === objectId) throw new Error("the object was reset");
      return jobObjectById(id);
    });
    const otherId = String(env.JOBS.idFromName(other.jobId));
    const { status, body } = await operate("POST", "/relist", {
      objectIds: [objectId, otherId],
      dryRun: false,
    });
    expect(status).toBe(200);
    expect(body.objects).toEqual([
      { objectId, jobId: null, accountId: null, usedUnits: null, found: "failed" },
      {
        objectId: otherId,
        jobId: other.jobId,
        accountId: client.accountId,
        usedUnits: null,
        found: "missing",
      },
    ]);
    away.mockRestore();
    expect(await relist()).toEqual({ [jobId]: "missing", [other.jobId]: "listed" });
  });

  it("leaves a job off the list if the books of its time are closed since, and names it: its use can't be booked any more", async () => {
    const ended = await successfulJob(client);
    const underWay = await newJob(client);
    await loseJobs();
    const listed = await settledJob(client.accountId, { units: 1, fund: "paid", endedAt: Date.now() });
    later(20 * 24 * HOUR);
    await closeBooks(home.platform, Date.now());
    const agrees = async () => (await checkLedger(database, 1_000, Date.now())).findings;
    expect(await agrees()).toEqual([]);
    const closed = { [ended.jobId]: "books_closed", [underWay.jobId]: "books_closed" };
    expect(await relist(true)).toEqual(closed);
    expect((await everything()).uploads).toEqual([]);
    for (let twice = 0; twice < 2; twice += 1) {
      expect(await relist()).toEqual(closed);
      expect(await agrees()).toEqual([]);
      expect((await everything()).jobs).toMatchObject([{ id: listed }]);
      expect((await everything()).ledger).toEqual([]);
    }
    // By these rows the sweep finds the bytes.
    expect((await everything()).uploads).toMatchObject([{ unused: 0 }, { unused: 0 }]);
    expect((await client.send("GET", `/v1/jobs/${ended.jobId}/result`)).status).toBe(200);
  });

  it("reports an account that is missing, and does not invent it", async () => {
    const { jobId } = await newJob(client);
    await loseJobs();
    const ofAccounts = ["api_keys", "account_counts", "refused_looks", "metered_use"];
    await home.DB.batch([...ofAccounts, "accounts"].map((table) => home.DB.prepare(`DELETE FROM ${table}`)));
    expect(await relist()).toEqual({ [jobId]: "account_missing" });
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });

  it("leaves alone what was withdrawn, or was never accepted", async () => {
    const { jobId } = await newJob(client);
    await home.platform.jobs.withdraw(jobId, Date.now());
    expect(await relist()).toEqual({ [jobId]: "unsettled" });
    expect(await traces()).toEqual({ jobs: 0, entries: 2 });
  });
});
