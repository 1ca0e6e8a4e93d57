import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slotsAfter } from "../../../../src/billing/rules/ledger.ts";
import { SETTLED_UNITS } from "../../../../src/billing/store/ledger.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { CRONS, runCron } from "../../../support/worker/runtime/crons.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { amount } from "../../../support/worker/client/random.ts";
import { later } from "../../../support/worker/runtime/time.ts";

const DAY = 86_400_000;

/** Settles jobs of one unit each for an account, at these times (epoch ms), alternating between both funds. */
const settleAt = (accountId: string, times: readonly number[]) =>
  home.DB.prepare(
    `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
     SELECT ?1, ?1 || '_' || key, 'settle', iif(key % 2, 'trial', 'paid'), 1, value FROM json_each(?2)`,
  )
    .bind(accountId, JSON.stringify(times))
    .run();

const figures = (accountId: string, since: number) => home.platform.ledger.figures(accountId, since);

describe("an account's use in the last 24 hours", () => {
  it("is read in a bounded number of rows, with any number of jobs", async () => {
    const [few, many] = [(await newClient()).accountId, (await newClient()).accountId];
    const now = Date.now();
    const over = (jobs: number) => Array.from({ length: jobs }, (_, i) => now - 1 - (i * DAY) / jobs);
    await settleAt(few, over(288));
    await settleAt(many, over(28_800));
    const since = now - DAY;
    expect((await figures(few, since)).settledUnits).toBe(288);
    expect((await figures(many, since)).settledUnits).toBe(28_800);
    const { firstWhole, wholeFrom } = slotsAfter(since);
    const statement = home.DB.prepare(`SELECT ${SETTLED_UNITS}`);
    const read = async (accountId: string): Promise<number> =>
      (await statement.bind(accountId, since, firstWhole, wholeFrom).all()).meta.rows_read;
    // A slot of five minutes has a hundred of the jobs.
    expect(await read(many)).toBeLessThan((await read(few)) + 100);
  });

  it("is the sum of its entries, to the millisecond, at any time of settlement and query", async () => {
    const begin = Date.UTC(2026, 0, 15, 12);
    const near = fc.integer({ min: -1, max: 1 });
    // Often at the edges of slots and of the day.
    const time = fc
      .tuple(fc.integer({ min: -300, max: 300 }), near)
      .map(([slot, ms]) => begin + slot * 300_000 + ms);
    await fc.assert(
      fc.asyncProperty(
        fc.array(time, { maxLength: 30 }),
        fc.tuple(fc.integer({ min: -2, max: 2 }), near),
        async (times, [slot, ms]) => {
          const { accountId } = await newClient();
          await settleAt(accountId, times);
          const since = begin + slot * 300_000 + ms;
          expect((await figures(accountId, since)).settledUnits).toBe(
            times.filter((at) => at > since).length,
          );
        },
      ),
      { numRuns: amount({ short: 20, long: 2_000 }), seed: Number(env.SEED) },
    );
  });

  it("is the same after a sweep, which forgets the sums of earlier days", async () => {
    const { accountId } = await newClient();
    later(0);
    const now = Date.now();
    await settleAt(accountId, [now - 3 * DAY, now - DAY - 1, now - DAY, now - DAY + 1, now - 1]);
    await runCron(CRONS.sweep);
    expect((await figures(accountId, now - DAY)).settledUnits).toBe(2);
    const { results } = await home.DB.prepare("SELECT units FROM settled_units").all();
    expect(results.length).toBeLessThan(4);
  });
});
