import { expect, it } from "vitest";
import { checkLedger } from "../../../../scripts/operate/admin/ledger-check.ts";
import type { Database, Row } from "../../../../scripts/shared/database/database.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { makeCustomer } from "../../../support/worker/fixtures/ledger.ts";

const PAGE = 100;
const JOBS = 20 * PAGE;
/** A job is a row of the list, three entries and a share of a meter event, each found by an index and compared with others. */
const READS_A_JOB = 10;

it("the operator's check of the ledger reads at most a page per statement, with any number of jobs", async () => {
  const { accountId } = await newClient("trial");
  await makeCustomer(accountId, "active");
  const now = Date.now();
  const each = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${JOBS - 1}),
    job AS (SELECT printf('job_%032x', i) AS id, ?1 || '-' || (i / 50) AS event, ?2 + i AS at FROM n)`;
  const entry = (kind: string, units: number, event: string) => `${each}
    INSERT INTO ledger (account_id, job_id, kind, fund, units, at, meter_event)
    SELECT ?1, id, '${kind}', 'paid', ${units}, at, ${event} FROM job`;
  await home.DB.batch(
    [
      `${each} INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, created_at, updated_at)
        SELECT id, ?1, 'image', 'batch', 'bulk', 2, 'success', at, at FROM job`,
      entry("reserve", 2, "NULL"),
      entry("settle", 2, "event"),
      entry("release", 0, "NULL"),
      `${each} INSERT INTO meter_events (identifier, customer_id, units, at, account_id, window_from, closes_at, sent_at)
        SELECT event, 'cus_' || ?1, 100, min(at), ?1, 0, 1, 1 FROM job GROUP BY event`,
    ].map((statement) => home.DB.prepare(statement).bind(accountId, now)),
  );
  let most = 0;
  const database: Database = {
    run: async (statements) => {
      const answers = await home.DB.batch<Row>(statements.map((statement) => home.DB.prepare(statement)));
      most = Math.max(most, ...answers.map(({ meta }) => meta.rows_read));
      return answers.map(({ results }) => results);
    },
  };
  const { findings, summary } = await checkLedger(database, 100, now, { page: PAGE });
  expect(findings).toEqual([]);
  expect(summary).toContain(`jobs: ${JOBS}, entries: ${3 * JOBS} (`);
  expect(most).toBeLessThan(READS_A_JOB * PAGE);
});
