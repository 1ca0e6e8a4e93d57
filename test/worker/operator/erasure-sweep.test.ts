import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { isLong } from "../../support/worker/client/random.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { sweepErasures } from "../../../src/operator/operations/erase-account.ts";
import { Billing } from "../../../src/billing/store/billing.ts";
import { Erasures } from "../../../src/operator/store/erasures.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { uploaded } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";
import {
  type Person,
  newPerson,
  erase,
  ledgerOf,
  tracesOfPerson,
} from "../../support/worker/fixtures/marked-person.ts";

const HOUR = 3_600_000;

describe("an account that is erased", () => {
  let person: Person;
  beforeEach(async () => {
    person = await newPerson();
  });

  const failing = (spy: MockInstance) => spy.mockRejectedValueOnce(new Error("cut off"));
  const steps: readonly [string, () => MockInstance][] = [
    ["reads the jobs", () => vi.spyOn(Erasures.prototype, "jobs")],
    ["deletes a job's bytes", () => vi.spyOn(Media.prototype, "deletePrefix")],
    ["settles a job", () => vi.spyOn(Jobs.prototype, "retire")],
    ["forgets the uploads", () => vi.spyOn(Erasures.prototype, "forgetUploads")],
    ["counts what is left", () => vi.spyOn(Erasures.prototype, "remains")],
    ["forgets the customer", () => vi.spyOn(Billing.prototype, "forgetCustomer")],
    ["writes down the end", () => vi.spyOn(Erasures.prototype, "finish")],
  ];
  it.each(steps.filter((_, at) => isLong || at % 3 === 0))(
    "is erased by the sweep after a crash at the moment that it %s",
    async (_, step) => {
      failing(step());
      const begun = Date.now();
      await erase(person, begun).catch(() => undefined);
      expect((await person.send("GET", "/v1/account")).status).toBe(401);
      await sweepErasures(home.platform, begun + HOUR);
      await sweepErasures(home.platform, begun + 2 * HOUR);
      await sweepErasures(home.platform, begun + 3 * HOUR);
      expect((await erase(person, begun + 3 * HOUR)).state).toBe("erased");
      for (const [what, places] of Object.entries(await tracesOfPerson(person)))
        expect(places, what).toEqual([]);
      expect(await ledgerOf(person)).toContainEqual({ kind: "settle", units: 2 });
    },
  );

  it.runIf(isLong)(
    "is erased although twenty erasures that began before can't end: each has its turn, and an hour's sweep takes twenty",
    async () => {
      const begun = Date.now();
      const others = await Promise.all(Array.from({ length: 20 }, () => newClient()));
      for (const other of others) await erase(other, begun - 9 * HOUR);
      await erase(person, begun - 8 * HOUR);
      const { media } = home.platform;
      const deletePrefix = media.deletePrefix.bind(media);
      vi.spyOn(media, "deletePrefix").mockImplementation(async (prefix) => {
        if (others.some(({ accountId }) => prefix.includes(accountId))) throw new Error("the bucket is away");
        return deletePrefix(prefix);
      });
      vi.spyOn(console, "log").mockImplementation(() => {});
      const left = async () => (await home.platform.erasures.unfinished(100)).length;
      let swept = 0;
      const sweep = async () => {
        await sweepErasures(home.platform, begun - HOUR + swept);
        swept += 1;
      };
      await sweep();
      expect(await left()).toBe(21);
      await sweep();
      expect(await left()).toBe(20);
      vi.restoreAllMocks();
      await sweep();
      expect(await left()).toBe(0);
    },
  );
});

/** Rows of jobs whose creation was cut off, and that therefore have no object. */
const storeJobs = ({ accountId }: Client, count: number) =>
  home.DB.prepare(
    `INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     SELECT ?1 || i, ?1, 'image', 'single', 'interactive', 1, 'queued', 0, 0 FROM n`,
  )
    .bind(accountId, count)
    .run();

/** Slows down each read of a page of jobs. */
function slowPages(ms: number): void {
  const { erasures } = home.platform;
  const jobs = erasures.jobs.bind(erasures);
  vi.spyOn(erasures, "jobs").mockImplementation(async (...args) => {
    later(ms);
    return jobs(...args);
  });
}

describe("an account with more than one run can erase", () => {
  it.runIf(isLong)(
    "is erased by runs of a bounded time, each with a page of jobs, uploads and files, and each reports its progress",
    async () => {
      const client = await newClient();
      await storeJobs(client, 30);
      await home.DB.prepare(
        `INSERT INTO uploads (task_id, account_id, content_type, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
       SELECT ?1 || i, ?1, 'image/png', 0 FROM n`,
      )
        .bind(client.accountId)
        .run();
      for (let page = 0; page < 7; page += 1) {
        const names = Array.from({ length: 143 }, (_, i) => inputKey(client.accountId, `${page}-${i}`));
        await Promise.all(names.map((name) => env.MEDIA.put(name, "x")));
      }
      slowPages(60_000);
      expect(await erase(client)).toMatchObject({
        state: "erasing",
        jobsLeft: 6,
        uploadsLeft: 1,
        filesLeft: true,
        deleted: 24 + 10_000 + 1_000,
      });
      expect(await erase(client)).toMatchObject({
        state: "emptied",
        jobsLeft: 0,
        uploadsLeft: 0,
        filesLeft: false,
        deleted: 6 + 1 + 1,
      });
    },
  );

  it("is erased although its first jobs can't be reached: they hold up no other, nor uploads and files", async () => {
    const client = await newClient();
    await storeJobs(client, 30);
    await uploaded(client);
    logged();
    const { jobObject } = home.platform;
    const first = (await home.platform.erasures.jobs(client.accountId, "", 24)).at(-1) ?? "";
    vi.spyOn(home.platform, "jobObject").mockImplementation((jobId) => {
      if (jobId <= first) throw new Error("the object was reset");
      return jobObject(jobId);
    });
    expect(await erase(client)).toMatchObject({ state: "erasing", jobsLeft: 24, uploadsLeft: 0 });
    expect((await env.MEDIA.list()).objects).toEqual([]);
  });

  it("takes turns with others in the sweep, which ends within its cron's time", async () => {
    const clients = [await newClient(), await newClient()] as const;
    for (const client of clients) {
      await storeJobs(client, 60);
      await home.platform.erasures.begin(client.accountId, Date.now());
    }
    slowPages(101_000);
    const begun = Date.now();
    await sweepErasures(home.platform, begun);
    expect(Date.now() - begun).toBeLessThan(6 * 60_000);
    const left = clients.map(({ accountId }) => home.platform.erasures.remains(accountId));
    expect((await Promise.all(left)).map(({ jobs }) => jobs)).toEqual([60 - 48, 60 - 24]);
  });
});
