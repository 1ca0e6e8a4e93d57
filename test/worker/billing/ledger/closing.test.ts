import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isLong } from "../../../support/worker/client/random.ts";
import { checkLedger } from "../../../../scripts/operate/admin/ledger-check.ts";
import type { Fund } from "../../../../src/billing/rules/ledger.ts";
import type { Platform } from "../../../../src/platform.ts";
import { closeBooks } from "../../../../src/billing/operations/close-books.ts";
import { present } from "../../../support/at.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { closedEntries, openEntries, readObject } from "../../../support/worker/fixtures/closing.ts";
import { CRONS, logged, runCron } from "../../../support/worker/runtime/crons.ts";
import { database } from "../../../support/worker/runtime/database.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { newJob } from "../../../support/worker/fixtures/jobs.ts";
import { costOf, settledJob } from "../../../support/worker/fixtures/ledger.ts";
import { FakeStripe } from "../../../support/worker/fakes/stripe.ts";
import { later } from "../../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

describe("the books", () => {
  let platform: Platform;
  let client: Client;
  let accountId: string;
  beforeEach(async () => {
    platform = home.platform;
    client = await newClient("trial");
    ({ accountId } = client);
  });

  const settled = (units: number, daysAgo: number, fund: Fund = "trial") =>
    settledJob(accountId, { units, fund, endedAt: Date.now() - daysAgo * DAY });
  const close = () => closeBooks(platform, Date.now());
  const closing = async () => present(await platform.closings.last(accountId), "closing");
  const objects = async () => (await env.MEDIA.list({ prefix: "ledger/" })).objects.map(({ key }) => key);
  const overview = async () => (await client.send("GET", "/v1/account/overview")).body;
  const findings = async () =>
    (await checkLedger(database, 1_000_000, Date.now(), { read: readObject })).findings;

  it("of a job that has ended are one line per entry in the bucket two weeks later, and one row of the account", async () => {
    later(DAY / 2 - (Date.now() % DAY));
    const before = Date.now() - 20 * DAY;
    const jobId = await settled(3, 20);
    const entries = await openEntries(accountId);
    await close();
    expect(await openEntries(accountId)).toEqual([]);
    expect(await closedEntries(accountId)).toEqual(entries);
    const { objectKey, digest, sums } = await closing();
    const day = new Date(before).toISOString().slice(0, 10);
    expect(objectKey).toBe(`ledger/${day.slice(0, 7)}/${accountId}/000001-${digest}.jsonl`);
    expect(await objects()).toEqual([objectKey]);
    expect(sums).toMatchObject({
      jobs: 1,
      entries: 3,
      lastJobId: jobId,
      trial: { reserved: 3, settled: 3, released: 0, voided: 0 },
      days: { [day]: [3, 0] },
    });
  });

  it("stay open for the operator's number of days, and for any job in progress", async () => {
    later(DAY / 2 - (Date.now() % DAY));
    await settled(1, 13);
    await close();
    expect(await objects()).toEqual([]);
    later(DAY);
    await settled(4, 6);
    const { jobId } = await newJob(await newClient("paid"));
    await close();
    expect((await openEntries(accountId)).map(({ units }) => units)).toEqual([4, 4, 0]);
    later(100 * DAY);
    await close();
    const left = await home.DB.prepare("SELECT job_id, kind FROM ledger").all();
    expect(left.results).toEqual([{ job_id: jobId, kind: "reserve" }]);
  });

  it.runIf(isLong)(
    "of 70 accounts are closed in a run, every five minutes, as those of 120,000 accounts in use require",
    async () => {
      const ended = Date.now() - 20 * DAY;
      await home.DB.batch(
        Array.from({ length: 90 }, (_, i) => [
          home.DB.prepare(
            "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, '', 'trial', 0, 0)",
          ).bind(`acct_${i}`),
          ...["reserve", "settle", "release"].map((kind) =>
            home.DB.prepare(
              "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, ?3, 'trial', ?4, ?5)",
            ).bind(`acct_${i}`, `job_of_${i}`, kind, kind === "release" ? 0 : 1, ended),
          ),
        ]).flat(),
      );
      const closed = () => home.DB.prepare("SELECT count(*) FROM ledger_closings").first("count(*)");
      await runCron(CRONS.report);
      expect(await closed()).toBe(70);
      await runCron(CRONS.report);
      expect(await closed()).toBe(90);
    },
  );

  it("are closed although usage cannot be reported at the same time, which is logged", async () => {
    await settled(1, 20);
    vi.spyOn(platform.usage, "backlog").mockRejectedValue(new Error("the database is away"));
    const lines = logged();
    await runCron(CRONS.report);
    expect(await openEntries(accountId)).toEqual([]);
    expect(lines()).toContainEqual(expect.objectContaining({ event: "sweep_failed", part: "usage" }));
  });

  it("are one row per account for any number of closed months", async () => {
    for (let month = 0; month < 14; month += 1) {
      await settled(1, 1);
      later(31 * DAY);
      await close();
    }
    expect(await home.DB.prepare("SELECT count(*) FROM ledger_closings").first("count(*)")).toBe(1);
    expect(await openEntries(accountId)).toEqual([]);
    expect(await closedEntries(accountId)).toHaveLength(42);
    const { number, sums } = await closing();
    expect({ number, days: Object.keys(sums.days).length }).toEqual({ number: 14, days: 13 });
  });

  it("show the trial's use and start as before, and ledger-check agrees", async () => {
    later(-100 * DAY);
    const { jobId } = await newJob(client, 2);
    await platform.jobs.retire(jobId, costOf(1), Date.now());
    later(40 * DAY);
    await settled(5, 0);
    const before = await overview();
    expect(before.trial).toMatchObject({ consumedTokens: 6 });
    later(60 * DAY);
    await close();
    expect(await openEntries(accountId)).toEqual([]);
    expect((await overview()).trial).toEqual(before.trial);
    expect(await findings()).toEqual([]);
  });

  it("accept nothing more for a closed job: no late settlement, void, release or reservation", async () => {
    const jobId = await settled(3, 20);
    await close();
    const { sums } = await closing();
    const end = { status: "success", error: null, updatedAt: Date.now(), cost: costOf(3) } as const;
    expect((await platform.jobs.project({ jobId, version: 9, ...end })).acceptance).toBe("listed");
    await settledJob(accountId, { jobId, units: 3, fund: "trial", endedAt: Date.now() });
    await platform.jobs.retire(jobId, costOf(3), Date.now());
    await platform.jobs.withdraw(jobId, Date.now());
    await settledJob(accountId, { jobId, units: 3, fund: "trial", endedAt: Date.now() });
    expect(await platform.jobs.acceptance(jobId)).toBe("missing");
    expect(await openEntries(accountId)).toEqual([]);
    expect((await platform.ledger.use(accountId)).trial.usedTokens).toBe(3);
    expect((await closing()).sums).toEqual(sums);
  });

  it("are closed once by two runs at the same time", async () => {
    for (let i = 0; i < 20; i += 1) await settled(1, 40 - i);
    const now = Date.now();
    await Promise.all([closeBooks(platform, now), closeBooks(platform, now), closeBooks(platform, now)]);
    await closeBooks(platform, now);
    expect(await closedEntries(accountId)).toHaveLength(60);
    expect(await openEntries(accountId)).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  it("count units of meter events once, although two runs write the same closing", async () => {
    await new FakeStripe().subscribe(client);
    for (const units of [3, 4]) await settled(units, 20, "paid");
    const now = Date.now();
    const { closings } = platform;
    const write = closings.write.bind(closings);
    vi.spyOn(closings, "write").mockImplementation(async (...part) => {
      const isWritten = await write(...part);
      expect(await write(...part)).toBe(false);
      return isWritten;
    });
    const lines = logged();
    await closeBooks(platform, now);
    expect(await home.DB.prepare("SELECT units, closed_units FROM meter_events").all()).toMatchObject({
      results: [{ units: 7, closed_units: 7 }],
    });
    expect(lines().filter(({ event }) => event === "books_closed")).toMatchObject([{ parts: 1, jobs: 2 }]);
    expect((await platform.closings.last(accountId))?.number).toBe(1);
  });

  describe("of a customer", () => {
    let stripe: FakeStripe;
    beforeEach(async () => {
      stripe = new FakeStripe();
      await stripe.subscribe(client);
    });
    const events = async () =>
      (await home.DB.prepare("SELECT units, closed_units FROM meter_events ORDER BY at").all()).results;

    it("keep its meter events until they are sent, closed and two months old, and count their units then", async () => {
      later(DAY / 2 - (Date.now() % DAY) - 100 * DAY);
      await settled(3, 0, "paid");
      await settled(4, 0, "paid");
      later(DAY);
      await runCron(CRONS.report);
      await settled(5, 0, "paid");
      later(19 * DAY);
      await close();
      expect(await openEntries(accountId)).toEqual([]);
      expect(await events()).toEqual([
        { units: 7, closed_units: 7 },
        { units: 5, closed_units: 5 },
      ]);
      expect(await findings()).toEqual([]);
      later(45 * DAY);
      await close();
      expect(await events()).toEqual([{ units: 5, closed_units: 5 }]);
      expect(await findings()).toMatchObject([
        { problem: "a meter event that can no longer be sent: reconcile it by hand" },
      ]);
      await home.DB.exec("UPDATE meter_events SET sent_at = 1");
      expect(await findings()).toEqual([]);
      await close();
      expect(await events()).toEqual([]);
      expect(await findings()).toEqual([]);
      expect(
        await home.DB.prepare("SELECT metered_units, reported_units FROM ledger_closings").first(),
      ).toEqual({ metered_units: 12, reported_units: 12 });
    });
  });

  describe("in the database", () => {
    const refused = (statement: string, message: string) =>
      expect(home.DB.prepare(statement).run()).rejects.toThrow(message);

    it("lose no entry but to the closing that covers it", async () => {
      await settled(1, 20);
      await settled(2, 1);
      await refused("DELETE FROM ledger", "the ledger is append-only");
      await close();
      expect(await openEntries(accountId)).toHaveLength(3);
      await refused("DELETE FROM ledger", "the ledger is append-only");
      await refused("UPDATE ledger SET units = 0", "the ledger is append-only");
    });

    it("keep a closing unchanged, and continue with the next one", async () => {
      await settled(1, 20);
      await close();
      const { digest } = await closing();
      await refused("DELETE FROM ledger_closings", "a closing is not erased");
      await refused("UPDATE ledger_closings SET sums = sums", "a closing is not rewritten");
      await refused(`UPDATE ledger_closings SET digest = '${"0".repeat(64)}'`, "a closing is not rewritten");
      await refused(
        `UPDATE ledger_closings SET number = 2, previous_digest = '${"0".repeat(64)}'`,
        "a closing is not rewritten",
      );
      await refused(
        `UPDATE ledger_closings SET number = 3, previous_digest = '${digest}'`,
        "a closing is not rewritten",
      );
      await refused("UPDATE ledger_closings SET erasing_through = 9", "a closing erases what it covers");
    });

    it("refuse a closing that leaves an entry that it covers", async () => {
      await settled(1, 20);
      const sums = JSON.stringify({ lastJobId: "", trial: { settled: 0 }, meteredUnits: 0 });
      const begun = home.DB.prepare(
        `INSERT INTO ledger_closings (account_id, number, object_key, digest, closed_at, sums, erasing_through)
         VALUES (?1, 1, '', ?2, 0, ?3, 1000)`,
      ).bind(accountId, "0".repeat(64), sums);
      const done = home.DB.prepare("UPDATE ledger_closings SET erasing_through = NULL");
      await expect(home.DB.batch([begun, done])).rejects.toThrow("a closing erases what it covers");
      await expect(
        home.DB.batch([begun, home.DB.prepare("DELETE FROM ledger WHERE kind = 'settle'"), done]),
      ).rejects.toThrow("the ledger is append-only");
    });
  });

  it("show in the bucket when an object was changed or is gone", async () => {
    for (const days of [50, 20]) {
      await settled(1, days);
      await close();
    }
    const [first] = await objects();
    const key = present(first, "object");
    const text = present(await readObject(key), key);
    await env.MEDIA.put(key, text.replace('"units":1', '"units":2'));
    await expect(closedEntries(accountId)).rejects.toThrow(`${key} is not what was written`);
    await env.MEDIA.delete(key);
    await expect(closedEntries(accountId)).rejects.toThrow(`there is no object ${key}`);
    await env.MEDIA.put(key, text);
    expect(await closedEntries(accountId)).toHaveLength(6);
  });
});
