import { beforeEach, describe, expect, it } from "vitest";
import { platformOf, type Platform } from "../../src/platform.ts";
import { inspectUploads } from "../../src/uploads/operations/inspect-uploads.ts";
import { CRONS, logged, runUpkeep } from "../support/worker/runtime/crons.ts";
import { moveUntil, resident, type Resident } from "../support/worker/fixtures/moves.ts";
import { database, rowsOf, useDatabases, withDatabases } from "../support/worker/runtime/several.ts";
import { FakeStripe } from "../support/worker/fakes/stripe.ts";
import { later } from "../support/worker/runtime/time.ts";

const DAY = 86_400_000;
const HERE = "DB_2";

const environment = useDatabases(3);
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

const run = (sql: string) => database(HERE).prepare(sql).run();
const count = (table: string, where: string): Promise<number | null> =>
  database(HERE).prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).first<number>("n");

/** Runs a statement as the mover does, whom the rows of an account on its way let pass. */
const runAsMover = (name: string, sql: string) =>
  database(name).batch(
    ["UPDATE in_transit SET open = 1", sql, "UPDATE in_transit SET open = 0"].map((each) =>
      database(name).prepare(each),
    ),
  );

/** An account in DB_2 whose move was broken off, and another that stays there. */
async function brokenOff(): Promise<{ moving: Resident; other: Resident }> {
  const [moving, other] = [await resident(platform, HERE), await resident(platform, HERE)];
  await moveUntil(platform, moving.accountId, "DB_3", "copied");
  return { moving, other };
}

describe("an account whose move was broken off", () => {
  it("is skipped by the nightly check of customers, which continues with all others", async () => {
    const { moving } = await brokenOff();
    const stripe = new FakeStripe();
    stripe.has(`cus_${moving.accountId}`);
    // More than are looked at together.
    const others = Array.from({ length: 30 }, (_, i) => `acct_other_${i}`);
    for (const id of others) {
      stripe.has(`cus_${id}`);
      await run(
        `INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES ('${id}', '', 'trial', 1, 1)`,
      );
      await run(
        `INSERT INTO billing (account_id, customer_id, subscription_status, updated_at) VALUES ('${id}', 'cus_${id}', 'active', 0)`,
      );
    }
    const before = await rowsOf(HERE, moving.accountId);
    const lines = logged();
    for (const name of [HERE, "DB_3"]) await runUpkeep(CRONS.nightly, name, environment);
    expect(lines().filter(({ event }) => event === "nightly_failed")).toEqual([]);
    // Stripe knows of no subscription.
    expect(await count("billing", "account_id LIKE 'acct_other%' AND subscription_status IS NULL")).toBe(30);
    expect(await rowsOf(HERE, moving.accountId)).toEqual(before);
  });

  it("is skipped by the inspection of uploads, which has places for all others", async () => {
    const { moving, other } = await brokenOff();
    later(DAY);
    await runAsMover(
      HERE,
      `UPDATE uploads SET inspect_at = iif(account_id = '${moving.accountId}', 1, 2), size = NULL WHERE unused = 1`,
    );
    await inspectUploads(platform.at(HERE), Date.now(), 1);
    expect(await count("uploads", `account_id = '${other.accountId}' AND unused = 1 AND size > 0`)).toBe(1);
  });

  it("is skipped by the closing of books, even if its own can't be closed", async () => {
    const { moving, other } = await brokenOff();
    // Its first entry: nothing was reserved for it.
    for (const name of [HERE, "DB_3"])
      await runAsMover(
        name,
        `INSERT INTO ledger (id, account_id, job_id, kind, fund, units, at)
         VALUES (-1, '${moving.accountId}', 'job_0', 'void', 'paid', 7, 1)`,
      );
    const closings = () => count("ledger_closings", `account_id = '${other.accountId}' AND number = 2`);
    expect(await closings()).toBe(0);
    later(50 * DAY);
    const lines = logged();
    for (const name of [HERE, "DB_3"]) await runUpkeep(CRONS.report, name, environment);
    expect(lines().filter(({ event }) => event === "sweep_failed")).toEqual([]);
    expect(await closings()).toBe(1);
  });

  it("delays no other subscription's end, with any number of such accounts", async () => {
    const { other } = await brokenOff();
    for (let i = 0; i < 25; i += 1) {
      const id = `acct_moving_${i}`;
      await run(
        `INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES ('${id}', '', 'trial', 1, 1)`,
      );
      await run(`INSERT INTO ended_subscriptions (account_id, ended_at) VALUES ('${id}', 1)`);
      await run(
        `INSERT INTO in_transit (account_id, direction, other, begun_at) VALUES ('${id}', 'out', 'DB_3', 1)`,
      );
    }
    await runUpkeep(CRONS.report, HERE, environment);
    expect(await count("ended_subscriptions", `account_id = '${other.accountId}'`)).toBe(0);
    expect(await count("ended_subscriptions", "account_id LIKE 'acct_moving%'")).toBe(25);
  });
});

describe("an account that begins to move while the nightly run wakes its jobs", () => {
  it("holds up the jobs of its page, and of no other", async () => {
    const old = Date.now() - 10 * DAY;
    await run(
      `INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES ('acct_1', '', 'paid', 1, 1), ('acct_2', '', 'paid', 1, 1)`,
    );
    await run(`WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 349)
      INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at, lane)
      SELECT 'job_' || i, iif(i = 100, 'acct_1', 'acct_2'), 'image', 'single', 1, 'queued', 1, ${old}, ${old} + i, 'bulk' FROM n`);
    const moves = run.bind(
      null,
      "INSERT INTO in_transit (account_id, direction, other, begun_at) VALUES ('acct_1', 'out', 'DB_3', 1) ON CONFLICT DO NOTHING",
    );
    // Objects that know nothing.
    const JOBS = {
      getByName: () => ({
        wake: async () => {
          await moves();
          return false;
        },
      }),
    };
    logged();
    await runUpkeep(CRONS.nightly, HERE, withDatabases(3, Object.fromEntries([["JOBS", JOBS]])));
    expect(await count("jobs", "true")).toBe(100);
  });
});
