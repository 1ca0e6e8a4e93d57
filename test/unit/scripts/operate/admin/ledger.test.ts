import { beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../../../../scripts/shared/database/accounts.ts";
import type { Database } from "../../../../../scripts/shared/database/database.ts";
import { checkLedger } from "../../../../../scripts/operate/admin/ledger-check.ts";
import { sql } from "../../../../../scripts/shared/database/sql.ts";
import { openDatabase } from "../../../../support/stack/database.ts";

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

describe("the operator's check of the ledger", () => {
  let database: Database;
  let accountId: string;
  beforeEach(async () => {
    database = openDatabase();
    const ada = { email: "ada@example.com", name: null, plan: "paid", keyLabel: "first key" } as const;
    ({ accountId } = await createAccount(database, ada));
    await listed("job_first", "success", 2);
    await entered("job_first", ["reserve", 2], ["settle", 1], ["release", 1]);
    await listed("job_busy", "processing", 3);
    await entered("job_busy", ["reserve", 3]);
    await entered("job_refused", ["reserve", 4], ["void", 4]);
    await entered("job_expired", ["reserve", 1], ["settle", 1], ["release", 0]);
  });

  it("counts nothing without entries", async () => {
    expect((await checkLedger(openDatabase(), 100, NOW)).summary).toBe(
      "The ledger agrees: jobs: 0, entries: 0 (closed: 0), accounts: 0, units settled: 0.",
    );
  });

  const listed = (jobId: string, status: string, items: number) =>
    database.run([
      sql`INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
          VALUES (${jobId}, ${accountId}, 'image', 'batch', 'bulk', ${items}, ${status}, ${NOW}, ${NOW})`,
    ]);
  const entered = (jobId: string, ...entries: readonly [kind: string, units: number][]) =>
    enter(jobId, "trial", entries);
  const enter = (jobId: string, fund: string, entries: readonly [kind: string, units: number][], at = NOW) =>
    database.run(
      entries.map(
        ([kind, units]) =>
          sql`INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
              VALUES (${accountId}, ${jobId}, ${kind}, ${fund}, ${units}, ${at})`,
      ),
    );
  const customer = () =>
    database.run([
      sql`INSERT INTO billing (account_id, customer_id, updated_at) VALUES (${accountId}, 'cus_1', 0)`,
    ]);
  const metered = (
    jobId: string,
    units: number,
    {
      at = NOW,
      triedAt = NOW,
      sentAt = NOW,
    }: { at?: number; triedAt?: number | null; sentAt?: number | null } = {},
  ) =>
    database.run([
      sql`INSERT INTO meter_events (identifier, customer_id, units, at, first_tried_at, last_tried_at, sent_at)
          VALUES (${jobId}, 'cus_1', ${units}, ${at}, ${triedAt}, ${triedAt}, ${sentAt})`,
    ]);
  const findings = async (grant = 100) => {
    const { findings: found, summary } = await checkLedger(database, grant, NOW);
    const named = found.map(({ problem, subject }) => `${String(subject)}: ${String(problem)}`).toSorted();
    // It finds the same page by page.
    for (const page of [1, 2, 3]) {
      const paged = await checkLedger(database, grant, NOW, { page });
      expect(paged.findings).toHaveLength(found.length);
      expect(paged.findings).toEqual(expect.arrayContaining([...found]));
      expect(paged.summary).toBe(summary);
    }
    return named;
  };

  it("finds nothing if the books are right, and says how much it has seen", async () => {
    expect(await checkLedger(database, 100, NOW)).toEqual({
      findings: [],
      summary: "The ledger agrees: jobs: 2, entries: 9 (closed: 0), accounts: 1, units settled: 2.",
    });
    expect((await checkLedger(openDatabase(), 100, NOW)).findings).toEqual([]);
  });

  it("finds nothing wrong with a free refinement", async () => {
    await listed("job_x", "success", 1);
    await entered("job_x", ["reserve", 0], ["settle", 0], ["release", 0]);
    expect(await findings()).toEqual([]);
  });

  it.each([
    [
      "a job without a reservation",
      async () => {
        await listed("job_x", "queued", 1);
      },
    ],
    [
      "an image job that reserved neither one unit per image nor, for a free refinement, none",
      async () => {
        await listed("job_x", "queued", 3);
        await entered("job_x", ["reserve", 2]);
      },
    ],
    [
      "an ended job that is not settled",
      async () => {
        await listed("job_x", "failed", 1);
        await entered("job_x", ["reserve", 1]);
      },
    ],
    [
      "a job in progress that is settled or voided",
      async () => {
        await listed("job_x", "processing", 1);
        await entered("job_x", ["reserve", 1], ["settle", 0], ["release", 1]);
      },
    ],
    [
      "entries of a job that do not add up",
      () => entered("job_x", ["reserve", 3], ["settle", 1], ["release", 1]),
    ],
    ["entries of a job that do not add up", () => entered("job_x", ["reserve", 3], ["settle", 3])],
    ["entries of a job that do not add up", () => entered("job_x", ["settle", 3], ["release", 0])],
    ["entries of a job that do not add up", () => entered("job_x", ["reserve", 3], ["void", 2])],
    [
      "entries of a job that do not add up",
      () => entered("job_x", ["reserve", 3], ["settle", 3], ["release", 0], ["void", 3]),
    ],
    ["a reservation whose job is gone", () => entered("job_x", ["reserve", 1])],
  ])("finds %s", async (problem, spoil) => {
    await spoil();
    expect(await findings()).toEqual([`job_x: ${problem}`]);
    expect((await checkLedger(database, 100, NOW)).summary).toMatch(/^The ledger disagrees in 1 place: /);
  });

  it("finds a trial that used more than its grant", async () => {
    expect(await findings(5)).toEqual([]);
    expect(await findings(4)).toEqual([`${accountId}: a trial that used more than its grant`]);
  });

  describe("and of metered usage", () => {
    beforeEach(async () => {
      await enter(
        "job_early",
        "paid",
        [
          ["reserve", 9],
          ["settle", 9],
          ["release", 0],
        ],
        NOW - 40 * 24 * HOUR,
      );
      await customer();
      await enter("job_paid", "paid", [
        ["reserve", 5],
        ["settle", 5],
        ["release", 0],
      ]);
      await metered("job_paid", 5);
    });

    it("finds nothing if it equals the units settled since the account became a customer", async () => {
      expect(await findings()).toEqual([]);
    });

    it("finds use without its event, and an event of other units or of no job", async () => {
      await enter("job_missing", "paid", [
        ["reserve", 1],
        ["settle", 1],
        ["release", 0],
      ]);
      await enter("job_other", "paid", [
        ["reserve", 2],
        ["settle", 2],
        ["release", 0],
      ]);
      await metered("job_other", 1);
      await metered("job_none", 1);
      expect(await findings()).toEqual([
        "job_missing: a customer's usage without a meter event",
        "job_none: a meter event that differs from what was settled",
        "job_other: a meter event that differs from what was settled",
      ]);
    });

    it("adds up the jobs of an hour's event", async () => {
      for (const jobId of ["job_a", "job_b"]) {
        await enter(jobId, "paid", [["reserve", 2]]);
        await database.run([
          sql`INSERT INTO ledger (account_id, job_id, kind, fund, units, at, meter_event)
              VALUES (${accountId}, ${jobId}, 'settle', 'paid', 2, ${NOW}, 'an hour')`,
        ]);
        await enter(jobId, "paid", [["release", 0]]);
      }
      expect(await findings()).toEqual([
        "job_a: a customer's usage without a meter event",
        "job_b: a customer's usage without a meter event",
      ]);
      await metered("an hour", 4);
      expect(await findings()).toEqual([]);
      await enter("an hour", "paid", [
        ["reserve", 1],
        ["settle", 1],
        ["release", 0],
      ]);
      expect(await findings()).toEqual(["an hour: a meter event that differs from what was settled"]);
    });

    it("ignores the events of a customer that was deleted at the payment provider", async () => {
      await database.run([
        sql`INSERT INTO former_customers (customer_id, account_id, forgotten_at) VALUES ('cus_1', ${accountId}, 0)`,
        sql`DELETE FROM billing`,
      ]);
      expect(await findings()).toEqual([]);
    });

    it("finds events that are not sent and can't be any more: they are reconciled by hand", async () => {
      const tried = NOW - 20 * HOUR;
      const used = NOW - 34 * 24 * HOUR;
      for (const [jobId, at, triedAt] of [
        ["job_a_tried", tried - HOUR, tried],
        ["job_b_old", used, null],
        ["job_c_due", tried - HOUR, tried + 1],
        ["job_d_due", used + 1, null],
      ] as const) {
        await enter(
          jobId,
          "paid",
          [
            ["reserve", 1],
            ["settle", 1],
            ["release", 0],
          ],
          at,
        );
        await metered(jobId, 1, { at, triedAt, sentAt: null });
      }
      expect(await findings()).toEqual(
        ["job_a_tried", "job_b_old"].map(
          (jobId) => `${jobId}: a meter event that can no longer be sent: reconcile it by hand`,
        ),
      );
    });
  });

  it("reads each table by an index, in each of its statements", async () => {
    const statements: string[] = [];
    const run: Database["run"] = async (asked) => {
      statements.push(...asked);
      return database.run(asked);
    };
    await checkLedger({ run }, 100, NOW, { page: 1 });
    expect(statements.length).toBeGreaterThan(50);
    for (const statement of statements) {
      const [plan = []] = await database.run([`EXPLAIN QUERY PLAN ${statement}`]);
      const whole = plan
        .map(({ detail }) => String(detail))
        .filter((line) => /^SCAN (?!b$|books$|fund |CONSTANT ROW|\(subquery-)/.test(line));
      expect(whole, statement).toEqual([]);
    }
  });

  it("reports its progress if it takes more than one page, and not otherwise", async () => {
    const reported: string[] = [];
    const onProgress = (progress: string) => void reported.push(progress);
    await checkLedger(database, 100, NOW, { onProgress });
    expect(reported).toEqual([]);
    await checkLedger(database, 100, NOW, { onProgress, page: 2 });
    expect(reported).toContain("jobs: 2, entries: 7, accounts: 1, meter events: 0");
  });

  it("names at most a hundred of a kind, on any number of pages", async () => {
    await Promise.all(Array.from({ length: 250 }, (_, i) => listed(`job_x${i}`, "queued", 1)));
    for (const page of [40, 10_000])
      expect((await checkLedger(database, 100, NOW, { page })).findings).toHaveLength(100);
  });
});
