import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountUsage } from "../../../../src/billing/contract/usage.ts";
import { closeBooks } from "../../../../src/billing/operations/close-books.ts";
import { eraseAccount } from "../../../../src/operator/operations/erase-account.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { openEntries } from "../../../support/worker/fixtures/closing.ts";
import { CRONS, runCron } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { settledJob } from "../../../support/worker/fixtures/ledger.ts";
import { amount } from "../../../support/worker/client/random.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const DAY = 86_400_000;
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const ask = (client: Client, query = "") => client.send("GET", `/v1/account/usage${query}`);

/** Returns the days of an answer with usage. */
async function usedDays(client: Client, from: number, to: number): Promise<unknown[]> {
  const { body } = await ask(client, `?from=${dateOf(from)}&to=${dateOf(to)}`);
  return AccountUsage.parse(body).days.filter(({ jobs }) => jobs > 0);
}

describe("getAccountUsage 200", () => {
  it("covers the last 30 days up to today by default [A6-9]", async () => {
    const client = await newClient();
    const now = Date.now();
    await settledJob(client.accountId, { units: 3, fund: "paid", endedAt: now });
    await settledJob(client.accountId, { units: 0, fund: "paid", endedAt: now });
    const { status, body } = await ask(client);
    expect(status).toBe(200);
    const { days } = AccountUsage.parse(body);
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toEqual({ date: dateOf(now), units: 3, jobs: 2 });
    expect(days.slice(0, -1).every(({ units, jobs }) => units === 0 && jobs === 0)).toBe(true);
  });

  it("is the sum of the account's jobs by day, before and after its books are closed [A6-8]", async () => {
    const midnight = Date.UTC(2026, 0, 15);
    const job = fc.record({
      units: fc.nat(5),
      fund: fc.constantFrom("trial" as const, "paid" as const),
      // Often at the edges of days.
      endedAt: fc
        .tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -1, max: 1 }))
        .map(([day, ms]) => midnight + day * DAY + ms),
    });
    later(midnight + 60 * DAY - Date.now());
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 12 }), async (jobs) => {
        const [client, other] = [await newClient(), await newClient()];
        for (const each of jobs) await settledJob(client.accountId, each);
        await settledJob(other.accountId, { units: 7, fund: "paid", endedAt: midnight });
        const expected = [...Map.groupBy(jobs, ({ endedAt }) => dateOf(endedAt))]
          .map(([date, of]) => ({
            date,
            units: of.reduce((sum, { units }) => sum + units, 0),
            jobs: of.length,
          }))
          .toSorted((a, b) => (a.date < b.date ? -1 : 1));
        const read = () => usedDays(client, midnight - 5 * DAY, midnight + 5 * DAY);
        expect(await read()).toEqual(expected);
        await closeBooks(home.platform, Date.now());
        expect(await openEntries(client.accountId)).toEqual([]);
        expect(await read()).toEqual(expected);
      }),
      { numRuns: amount({ short: 5, long: 500 }), seed: Number(env.SEED) },
    );
  });

  it("covers each of 366 days in a row, with any number of jobs [A6-9]", async () => {
    const client = await newClient();
    const now = Date.now();
    await home.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3659)
       INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT ?1, 'job_' || i, 'settle', 'paid', 2, ?2 - (i / 10) * 86400000 FROM n`,
    )
      .bind(client.accountId, now)
      .run();
    const { body } = await ask(client, `?from=${dateOf(now - 365 * DAY)}&to=${dateOf(now)}`);
    expect(body.days).toHaveLength(366);
    expect(
      body.days.every(({ units, jobs }: AccountUsage["days"][number]) => units === 20 && jobs === 10),
    ).toBe(true);
    const read = await home.DB.prepare("SELECT * FROM usage_days WHERE account_id = ?1")
      .bind(client.accountId)
      .all();
    expect(read.meta.rows_read).toBe(366);
  });

  it("forgets a day after 400 others, and everything of an account that is erased", async () => {
    const client = await newClient();
    later(0);
    const now = Date.now();
    for (const days of [401, 400, 0]) {
      await settledJob(client.accountId, { units: 1, fund: "paid", endedAt: now - days * DAY });
    }
    const rows = () => home.DB.prepare("SELECT count(*) AS n FROM usage_days").first("n");
    await runCron(CRONS.sweep);
    expect(await rows()).toBe(2);
    expect(await usedDays(client, now - 400 * DAY, now - 300 * DAY)).toHaveLength(1);
    await eraseAccount(home.platform, client.accountId, now);
    // The usage of a job in progress is still settled.
    await home.DB.prepare(
      "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, 'job_late', 'settle', 'paid', 1, ?2)",
    )
      .bind(client.accountId, now)
      .run();
    expect(await rows()).toBe(0);
  });
});

describe("getAccountUsage 400", () => {
  it("refuses a malformed date", async () => {
    const client = await newClient();
    for (const query of [
      "?from=",
      "?from=yesterday",
      "?to=2026-02-30",
      "?to=2026-1-1",
      "?from=2026-01-01T00:00:00Z",
    ]) {
      expectError(await ask(client, query), 400, "invalid_request", query);
    }
  });

  it("refuses a period that is too long, begins too early or ends before it begins [A6-9]", async () => {
    const client = await newClient();
    for (const query of [
      "?from=2000-01-01",
      "?from=2024-01-01&to=2026-01-01",
      "?from=2026-03-01&to=2026-02-01",
    ]) {
      expectError(await ask(client, query), 400, "invalid_period", query);
    }
  });
});
