import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { checkLedger } from "../../../scripts/operate/admin/ledger-check.ts";
import { closeBooks } from "../../../src/billing/operations/close-books.ts";
import { eraseAccount } from "../../../src/operator/operations/erase-account.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { finishJob, FakeInference } from "../../support/worker/fakes/inference.ts";
import { database } from "../../support/worker/runtime/database.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf, makeCustomer, settledJob, traces } from "../../support/worker/fixtures/ledger.ts";
import { loseJobs } from "../../support/worker/fixtures/restore.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { storedOf } from "../../support/worker/runtime/traces.ts";
import { operate } from "../../support/worker/client/operator.ts";

const HOUR = 3_600_000;

const allObjects = async (): Promise<string[]> => (await listDurableObjectIds(env.JOBS)).map(String);
/** The runtime keeps listing the objects of earlier tests, thousands of them, although they are empty. */
let earlierObjects: ReadonlySet<string>;

/** Relists all objects of this test. Returns the findings. */
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

describe("relist, after a restore of an older database,", () => {
  const everything = async () => ({
    jobs: (await home.DB.prepare("SELECT * FROM jobs ORDER BY id").all()).results,
    ledger: (
      await home.DB.prepare("SELECT job_id, kind, fund, units, at FROM ledger ORDER BY job_id, kind").all()
    ).results,
    uploads: (await home.DB.prepare("SELECT task_id, account_id, unused FROM uploads ORDER BY task_id").all())
      .results,
  });

  it("restores lost rows, reservations, settlements and uploads, once even if run twice", async () => {
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

  it("restores lost rows, and settles ended jobs", async () => {
    const { jobId, tasks } = await newJob(client);
    const old = await home.DB.prepare("SELECT status, version FROM jobs").first<{ version: number }>();
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
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

  it("settles a job as usual if it ended after the loss", async () => {
    const { jobId, tasks } = await newJob(client);
    await loseJobs();
    await finishJob(new FakeInference(), client.accountId, jobId, tasks);
    await ring(jobId);
    expect(await relist()).toEqual({ [jobId]: "missing" });
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
    expect(Object.fromEntries(await entriesOf(jobId))).toEqual({ reserve: 1, settle: 1, release: 0 });
  });

  it("never reports use twice: what may have been reported waits for a person to look", async () => {
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

  it("is not needed for the end of a listed job: no wake-up reports its use twice", async () => {
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
    await finishJob(new FakeInference(), client.accountId, jobId, tasks.slice(0, 1));
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

  it("continues if an object can't be reached, names it, and brings it back the next time", async () => {
    const { jobId } = await newJob(client);
    const other = await newJob(client);
    await loseJobs();
    // The operator uses the platform of the first database.
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
    const ofAccounts = ["api_keys", "account_counts", "refused_inspections", "metered_use"];
    await home.DB.batch([...ofAccounts, "accounts"].map((table) => home.DB.prepare(`DELETE FROM ${table}`)));
    expect(await relist()).toEqual({ [jobId]: "account_missing" });
    expect(await traces()).toEqual({ jobs: 0, entries: 0 });
  });

  it("ignores withdrawn and never accepted jobs", async () => {
    const { jobId } = await newJob(client);
    await home.platform.jobs.withdraw(jobId, Date.now());
    expect(await relist()).toEqual({ [jobId]: "unsettled" });
    expect(await traces()).toEqual({ jobs: 0, entries: 2 });
  });
});
