import { expect } from "vitest";
import { checkLedger } from "../../../scripts/admin/ledger-check.ts";
import { closeBooks } from "../../../src/billing/operations/close-books.ts";
import { present } from "../at.ts";
import { closedEntries, openEntries, readObject } from "./closing.ts";
import { database } from "./database.ts";
import { home } from "./databases.ts";

const DAY = 86_400_000;
const BEGIN = Date.parse("2026-01-01T00:00:00.000Z");

/** The state of the database after a month of use and its closing. */
interface MonthEnd {
  /** Rows of the ledger, of closed books, and of meter events. */
  readonly entries: number;
  readonly closings: number;
  readonly events: number;
  /** Bytes of the whole database. */
  readonly bytes: number;
}

const count = async (table: string): Promise<number> =>
  present(await home.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n"), table);

/** Accounts of which every fifth is on its trial and the others are customers. */
async function openAccounts(accounts: number): Promise<void> {
  await home.DB.batch([
    home.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
       INSERT INTO accounts (id, email, plan, created_at, updated_at)
       SELECT printf('acct_%032x', i), '', 'trial', 0, 0 FROM n`,
    ).bind(accounts),
    home.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
       INSERT INTO billing (account_id, customer_id, updated_at)
       SELECT printf('acct_%032x', i), 'cus_' || i, 0 FROM n WHERE i % 5 <> 0`,
    ).bind(accounts),
  ]);
}

/**
 * Jobs spread over a month, each account's in three hours of each day: rows as the transactions of a job write them, many
 * at a time. What is metered was reported; jobs older than 30 days are off the list.
 */
async function use(accounts: number, jobs: number, from: number, to: number): Promise<void> {
  const each = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1),
    slot AS (SELECT i, CAST(?2 + i * (?3 - ?2) / ?1 AS INTEGER) AS t, i % ?4 AS a, 1 + i % 5 AS units FROM n),
    job AS (SELECT printf('job_%012x%020x', t - t % 28800000, i) AS id, printf('acct_%032x', a) AS account_id,
      iif(a % 5 = 0, 'trial', 'paid') AS fund, units, units - (i % 7 = 0) AS used, t - t % 28800000 AS at FROM slot)`;
  const bound = (statement: string) => home.DB.prepare(`${each} ${statement}`).bind(jobs, from, to, accounts);
  const event = "account_id || '-' || at";
  await home.DB.batch([
    bound(`INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, version, created_at, updated_at)
      SELECT id, account_id, 'image', 'batch', 'bulk', units, 'success', 2, at, at FROM job`),
    bound(`INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
      SELECT account_id, id, 'reserve', fund, units, at FROM job`),
    bound(`INSERT INTO ledger (account_id, job_id, kind, fund, units, at, meter_event)
      SELECT account_id, id, 'settle', fund, used, at, iif(fund = 'paid' AND used > 0, ${event}, NULL) FROM job`),
    bound(`INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
      SELECT account_id, id, 'release', fund, units - used, at FROM job`),
    bound(`INSERT INTO meter_events (identifier, customer_id, units, at, account_id, window_from, closes_at, billing_version, last_tried_at, sent_at)
      SELECT ${event}, (SELECT customer_id FROM billing AS b WHERE b.account_id = job.account_id), sum(used), at, account_id,
        at, at + 3600000, 0, at, at FROM job WHERE fund = 'paid' AND used > 0 GROUP BY account_id, at`),
    home.DB.prepare("DELETE FROM jobs WHERE updated_at < ?1").bind(to - 30 * DAY),
  ]);
}

/**
 * A year of use, or fewer months, with the books closed at the end of each month, and the accounts' figures checked against what was used.
 * Returns the database after each month.
 */
export async function yearOfUse(accounts: number, jobsAMonth: number, months = 12): Promise<MonthEnd[]> {
  const platform = home.platform;
  await openAccounts(accounts);
  const ends: MonthEnd[] = [];
  for (let month = 0; month < months; month += 1) {
    const from = Date.UTC(new Date(BEGIN).getUTCFullYear(), month);
    const to = Date.UTC(new Date(BEGIN).getUTCFullYear(), month + 1);
    await use(accounts, jobsAMonth, from, to);
    for (let before = -1; before !== (await count("ledger"));) {
      before = await count("ledger");
      await closeBooks(platform, to);
    }
    const { findings } = await checkLedger(database, Number.MAX_SAFE_INTEGER, to);
    expect(findings, `after month ${month + 1}`).toEqual([]);
    const end = {
      entries: await count("ledger"),
      closings: await count("ledger_closings"),
      events: await count("meter_events"),
      bytes: (await home.DB.prepare("SELECT 1").run()).meta.size_after,
    };
    console.log(`month ${month + 1}: ${JSON.stringify(end)}`);
    ends.push(end);
  }
  return ends;
}

/** Checks that nothing of a year of use is lost: each entry is in the bucket or in the ledger, and ledger-check agrees. */
export async function expectAllThere(accounts: number, jobsAMonth: number, months = 12): Promise<void> {
  const { findings, summary } = await checkLedger(database, Number.MAX_SAFE_INTEGER, BEGIN + 365 * DAY, {
    read: readObject,
  });
  expect(findings).toEqual([]);
  expect(summary).toContain(`entries: ${months * jobsAMonth * 3} `);
  const first = `acct_${"0".repeat(32)}`;
  const entries = [...(await closedEntries(first)), ...(await openEntries(first))];
  const jobs = new Set(entries.map(({ jobId }) => jobId));
  expect(jobs.size).toBe((months * jobsAMonth) / accounts);
  const settled = entries.filter(({ kind }) => kind === "settle");
  const period = { from: BEGIN / DAY, to: BEGIN / DAY + 365 };
  const days = await home.platform.ledger.usageDays(first, period);
  expect(days, "each day's usage is what all its entries come to").toEqual(
    [...Map.groupBy(settled, ({ at }) => Math.floor(at / DAY))]
      .map(([day, of]) => ({ day, units: of.reduce((sum, { units }) => sum + units, 0), jobs: of.length }))
      .toSorted((a, b) => a.day - b.day),
  );
}
