import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { Billing } from "../../../src/billing/store/billing.ts";
import { DeadLetters } from "../../../src/operator/store/dead-letters.ts";
import { Erasures } from "../../../src/operator/store/erasures.ts";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { OldJobs } from "../../../src/jobs/store/old-jobs.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring, successfulJob } from "../../support/worker/fixtures/archives.ts";
import {
  callBack,
  deliverTask,
  finishJob,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob, listedJobs, newJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";
import { isLong } from "../../support/worker/client/random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const objectOf = (jobId: string) => env.JOBS.getByName(jobId);
const alarmOf = (jobId: string): Promise<number | null> =>
  runInDurableObject(objectOf(jobId), (_, { storage }) => storage.getAlarm());

/** Deletes the alarm by hand; the object is loaded again at the next call. */
async function loseAlarm(jobId: string): Promise<void> {
  await runInDurableObject(objectOf(jobId), (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(objectOf(jobId));
}

const night = (): Promise<void> => runCron(CRONS.nightly);

let client: Client;
beforeEach(async () => {
  client = await newClient("trial");
});

describe("a job that has lost its alarm", () => {
  it("has one again after any call", async () => {
    const { jobId } = await newJob(client);
    await loseAlarm(jobId);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
    await vi.waitUntil(async () => (await alarmOf(jobId)) !== null, PATIENT);
  });

  it("does not keep a trial account from its next job for ever", async () => {
    const inference = new FakeInference();
    const { jobId, taskId } = await newJob(client);
    await deliverTask(jobId, taskId);
    await loseAlarm(jobId);
    later(DAY);
    const next = imageJob(await uploads(client, 1));
    expect((await client.send("POST", "/v1/jobs", next)).status).toBe(409);
    // The lease of the holder that died has ended, so the next one may try.
    expect(await ring(jobId)).toBe(true);
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", success());
    expect((await client.send("POST", "/v1/jobs", next)).status).toBe(202);
  });

  it("is woken at night without requests: a day after its last change, not before", async () => {
    const { jobId } = await newJob(client);
    await loseAlarm(jobId);
    later(DAY - HOUR);
    await night();
    later(2 * HOUR);
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ status: "queued" }]);
    await night();
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "failed" }]);
    expect(await alarmOf(jobId)).toBeGreaterThan(Date.now());
  });
});

describe("the nightly run over old jobs", () => {
  it("restores a job's lost end in the list: it is pushed again", async () => {
    const { jobId } = await successfulJob(client);
    await home.DB.prepare("UPDATE jobs SET status = 'processing', version = 1").run();
    later(DAY + HOUR);
    await night();
    expect((await client.send("GET", "/v1/jobs")).body.items).toMatchObject([{ jobId, status: "success" }]);
  });

  it("strikes the row of a job that no object knows, and voids its reservation", async () => {
    const { jobId } = await newJob(client);
    await runInDurableObject(objectOf(jobId), (_, { storage }) => new JobStorage(storage).clear());
    await evictDurableObject(objectOf(jobId));
    later(DAY + HOUR);
    await night();
    expect(await listedJobs()).toBe(0);
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 1],
      ["void", 1],
    ]);
  });

  it("continues if an object can't be reached, and through more than one page", async () => {
    const { jobId } = await newJob(client);
    const unknown = Array.from({ length: 101 }, (_, i) => `job_${String(i).padStart(32, "0")}`);
    await home.DB.batch(
      unknown.map((id) =>
        home.DB.prepare(
          `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
           VALUES (?1, ?2, 'image', 'single', 'interactive', 1, 'queued', 0, 7)`,
        ).bind(id, client.accountId),
      ),
    );
    const platform = home.platform;
    const broken = unknown[3] ?? "";
    vi.spyOn(platform, "jobObject").mockImplementation((id) => {
      if (id === broken) throw new Error("the object was reset");
      return env.JOBS.getByName(id);
    });
    later(DAY + HOUR);
    await night();
    const { results } = await home.DB.prepare("SELECT id FROM jobs ORDER BY id").all();
    expect(results).toEqual([{ id: broken }, { id: jobId }]);
  });
});

describe("more old jobs than one night can wake", () => {
  const rows = (): Promise<number> => listedJobs();
  beforeEach(async () => {
    const insert = home.DB.prepare(
      `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
       VALUES (?1, ?2, 'image', 'single', 'interactive', 1, 'queued', ?3, 0)`,
    );
    const ids = Array.from({ length: 150 }, (_, i) => `job_${String(i).padStart(32, "0")}`);
    await home.DB.batch(ids.map((id) => insert.bind(id, client.accountId, Date.now())));
  });

  it("are left to the next one: a night's work ends within its cron's time", async () => {
    let slow = true;
    vi.spyOn(home.platform, "jobObject").mockImplementation((id) => {
      if (slow) later(6 * 60_000);
      slow = false;
      return env.JOBS.getByName(id);
    });
    await night();
    expect(await rows()).toBe(50);
    await night();
    expect(await rows()).toBe(0);
  });

  it("are all checked in turn, though none of them ends: each night continues after the one before", async () => {
    await home.DB.prepare("UPDATE jobs SET updated_at = rowid").run();
    logged();
    let asked: string[] = [];
    vi.spyOn(home.platform, "jobObject").mockImplementation((id) => {
      if (asked.length === 0) later(6 * 60_000);
      asked.push(id);
      throw new Error("the object was reset");
    });
    const nights: number[] = [];
    const all = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      asked = [];
      await night();
      for (const id of asked) all.add(id);
      nights.push(all.size);
    }
    expect(nights).toEqual([100, 150, 150]);
    expect(asked).toHaveLength(100);
    expect(await rows()).toBe(150);
  });

  it.runIf(isLong)(
    "cost a few statements a page if no object knows them: D1 takes a thousand from one run",
    async () => {
      const prepare = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
      await night();
      expect(await rows()).toBe(0);
      expect(prepare.mock.calls.length).toBeLessThan(25 * home.platform.databases.length);
    },
  );

  it("hold up no customer's subscription and no purge", async () => {
    vi.spyOn(OldJobs.prototype, "underWaySince").mockReturnValue(new Promise(() => undefined));
    const asked = vi.spyOn(Billing.prototype, "overdue");
    const purged = vi.spyOn(DeadLetters.prototype, "purge");
    void night();
    await vi.waitFor(() => {
      const { length: databases } = home.platform.databases;
      expect(asked).toHaveBeenCalledTimes(databases);
      expect(purged).toHaveBeenCalledTimes(databases);
    }, PATIENT);
  });
});

it("an erasure that takes longer than a sweep has holds up no other part of it", async () => {
  vi.spyOn(Erasures.prototype, "unfinished").mockReturnValue(new Promise(() => undefined));
  const taskId = (await uploads(client, 1)).join();
  later(2 * DAY);
  void runCron(CRONS.sweep);
  await vi.waitFor(
    async () => expect(await env.MEDIA.head(inputKey(client.accountId, taskId))).toBeNull(),
    PATIENT,
  );
});

describe("a shorter retention", () => {
  it("applies to existing jobs: the night purges expired ones", async () => {
    const { jobId } = await successfulJob(client, 2);
    // The alarm was set when the setting was 60 days; now it is 30.
    await runInDurableObject(objectOf(jobId), (_, { storage }) => storage.setAlarm(Date.now() + 60 * DAY));
    later(2 * DAY);
    const young = await newJob(client);
    await finishJob(new FakeInference(), client.accountId, young.jobId, young.tasks);
    later(29 * DAY);
    await night();
    const { results } = await home.DB.prepare("SELECT id FROM jobs").all();
    expect(results).toEqual([{ id: young.jobId }]);
    expect((await env.MEDIA.list({ prefix: `outputs/${client.accountId}/${jobId}` })).objects).toEqual([]);
    expect(await alarmOf(jobId)).toBeNull();
    expect(await entriesOf(jobId)).toEqual([
      ["reserve", 2],
      ["settle", 2],
      ["release", 0],
    ]);
  });
});

it("a job is deleted with its alarm in one write: a crash leaves both or neither", async () => {
  const { jobId } = await newJob(client);
  await runInDurableObject(objectOf(jobId), async (_, { storage }) => {
    // Stops the process at the first deletion.
    const dies = vi.spyOn(storage, "deleteAlarm").mockImplementation(() => new Promise(() => undefined));
    const deleted = vi.spyOn(storage, "deleteAll");
    void new JobStorage(storage).clear();
    expect(dies).toHaveBeenCalledOnce();
    expect(deleted).toHaveBeenCalledOnce();
    await storage.sync();
  });
});
