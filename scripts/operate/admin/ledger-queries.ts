import { RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../../../src/billing/rules/metering.ts";
import { type Counted, type Page, within } from "./ledger-pages.ts";
import { sql } from "../../shared/database/sql.ts";

/** Maximum number of reported findings of one kind: more would add no information. */
export const MOST_OF_A_KIND = 100;

/** A problem, and the statement that finds it in a page. Its rows have a `subject` and a `detail`. */
interface LedgerQuery {
  readonly problem: string;
  readonly statement: (page: Page) => string;
}

/**
 * Queries that run page by page over the same ids, and the statement for the numbers of a page. A plus sign before a column keeps
 * SQLite from another index than that of the ids, which would lead it beyond the page.
 */
export interface Chapter {
  readonly columns: readonly Counted[];
  readonly numbers: (page: Page) => string;
  readonly queries: readonly LedgerQuery[];
}

/** The ledger of a page with one row per job. A kind is NULL if the job has no entry of it. */
const books = (page: Page, select: string): string => `
  WITH books AS (
    SELECT job_id, account_id, min(fund) AS fund, min(fund) = max(fund) AND min(account_id) = max(account_id) AS alike,
      sum(units) FILTER (WHERE kind = 'reserve') AS reserved, sum(units) FILTER (WHERE kind = 'settle') AS settled,
      sum(units) FILTER (WHERE kind = 'release') AS released, sum(units) FILTER (WHERE kind = 'void') AS voided,
      coalesce(max(meter_event), job_id) AS meter_event, max(at) AS at
    FROM ledger WHERE ${within("job_id", page)} GROUP BY job_id)
  ${select} LIMIT ${MOST_OF_A_KIND}`;

/** Excludes jobs that have ended and whose books are closed. */
const NOT_CLOSED = `NOT (j.status IN ('success', 'failed') AND j.id <= coalesce(
  (SELECT c.last_job_id FROM ledger_closings c WHERE c.account_id = j.account_id), ''))`;

/**
 * Queries about jobs and their entries.
 * @param rows number of jobs in a page
 */
export const ofJobs = (rows: number): Chapter => ({
  columns: [
    { table: "jobs", column: "id", rows },
    { table: "ledger", column: "job_id", rows: 3 * rows },
  ],
  numbers: (page) => `
    SELECT (SELECT count(*) FROM jobs WHERE ${within("id", page)}) AS jobs, count(*) AS entries,
      coalesce(sum(units) FILTER (WHERE kind = 'settle'), 0) AS units
    FROM ledger WHERE ${within("job_id", page)}`,
  queries: [
    {
      problem: "a job without a reservation",
      statement: (page) =>
        books(
          page,
          `SELECT j.id AS subject, j.status AS detail FROM jobs j LEFT JOIN books b ON b.job_id = j.id
           WHERE ${within("j.id", page)} AND b.reserved IS NULL AND ${NOT_CLOSED}`,
        ),
    },
    {
      problem: "an image job that reserved neither one unit per image nor, for a free refinement, none",
      statement: (page) =>
        books(
          page,
          `SELECT j.id AS subject, b.reserved || ' for ' || j.total_items AS detail
           FROM books b CROSS JOIN jobs j ON j.id = b.job_id
           WHERE j.type = 'image' AND b.reserved NOT IN (j.total_items, 0)`,
        ),
    },
    {
      problem: "an ended job that is not settled",
      statement: (page) =>
        books(
          page,
          `SELECT j.id AS subject, j.status AS detail FROM books b CROSS JOIN jobs j ON j.id = b.job_id
           WHERE j.status IN ('success', 'failed') AND b.settled IS NULL`,
        ),
    },
    {
      problem: "a job in progress that is settled or voided",
      statement: (page) =>
        books(
          page,
          `SELECT j.id AS subject, j.status AS detail FROM books b CROSS JOIN jobs j ON j.id = b.job_id
           WHERE j.status IN ('queued', 'processing') AND coalesce(b.settled, b.released, b.voided) IS NOT NULL`,
        ),
    },
    {
      problem: "entries of a job that do not add up",
      statement: (page) =>
        books(
          page,
          `SELECT job_id AS subject, printf('reserved %s, settled %s, released %s, voided %s',
             coalesce(reserved, '-'), coalesce(settled, '-'), coalesce(released, '-'), coalesce(voided, '-')) AS detail
           FROM books
           WHERE reserved IS NULL OR NOT alike
             OR (voided IS NOT NULL AND (voided <> reserved OR coalesce(settled, released) IS NOT NULL))
             OR (voided IS NULL AND coalesce(settled, released) IS NOT NULL
                 AND coalesce(settled + released, -1) <> reserved)`,
        ),
    },
    {
      problem: "a reservation whose job is gone",
      statement: (page) =>
        books(
          page,
          `SELECT job_id AS subject, reserved || ' of ' || account_id AS detail FROM books
           WHERE coalesce(settled, voided) IS NULL AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = job_id)`,
        ),
    },
    {
      // Usage that was settled before the account became a customer is not metered; its first event marks when it became one.
      problem: "a customer's usage without a meter event",
      statement: (page) =>
        books(
          page,
          `SELECT b.job_id AS subject, b.settled || ' of ' || b.account_id AS detail
           FROM books b CROSS JOIN billing c ON c.account_id = b.account_id
           WHERE b.fund = 'paid' AND b.settled > 0
             AND NOT EXISTS (SELECT 1 FROM meter_events WHERE identifier = b.meter_event)
             AND b.at >= (SELECT min(at) FROM meter_events WHERE customer_id = c.customer_id)`,
        ),
    },
  ],
});

/**
 * Queries about accounts.
 * @param rows number of accounts in a page
 * @param grant the tokens of a trial
 */
export const ofAccounts = (rows: number, grant: number): Chapter => ({
  columns: [{ table: "accounts", column: "id", rows }],
  numbers: (page) => `
    SELECT count(*) AS accounts, coalesce(sum(c.sums ->> '$.entries'), 0) AS closed,
      coalesce(sum((c.sums ->> '$.trial.settled') + (c.sums ->> '$.paid.settled')), 0) AS units
    FROM accounts AS a LEFT JOIN ledger_closings AS c ON c.account_id = a.id
    WHERE ${within("a.id", page)}
      AND (c.account_id IS NOT NULL OR EXISTS (SELECT 1 FROM ledger WHERE account_id = a.id))`,
  queries: [
    {
      problem: "a trial that used more than its grant",
      statement: (page) => `
        SELECT id AS subject, used || ' of ' || ${sql`${grant}`} AS detail FROM (
          SELECT a.id, coalesce((SELECT trial_used FROM ledger_closings WHERE account_id = a.id), 0)
            + (SELECT coalesce(sum(CASE kind WHEN 'reserve' THEN units WHEN 'settle' THEN 0 ELSE -units END), 0)
               FROM ledger WHERE account_id = a.id AND fund = 'trial') AS used
          FROM accounts AS a WHERE ${within("a.id", page)})
        WHERE used > ${sql`${grant}`} LIMIT ${MOST_OF_A_KIND}`,
    },
    {
      problem: "closed books that do not add up",
      statement: (page) => `
        SELECT account_id AS subject, 'part ' || number AS detail FROM ledger_closings AS c
        WHERE ${within("c.account_id", page)}
          AND (EXISTS (SELECT 1 FROM json_each(json_array(sums -> '$.trial', sums -> '$.paid')) AS fund
              WHERE fund.value ->> '$.reserved'
                <> fund.value ->> '$.settled' + (fund.value ->> '$.released') + (fund.value ->> '$.voided'))
            OR metered_units <> reported_units
              + (SELECT coalesce(sum(closed_units), 0) FROM meter_events AS m WHERE m.account_id = c.account_id))
        LIMIT ${MOST_OF_A_KIND}`,
    },
  ],
});

/**
 * Queries about meter events and their entries.
 * @param rows number of entries in a page
 * @param now epoch milliseconds
 */
export const ofMeterEvents = (rows: number, now: number): Chapter => ({
  columns: [
    { table: "meter_events", column: "identifier", rows },
    { table: "ledger", column: "meter_event", rows },
  ],
  numbers: (page) => `SELECT count(*) AS events FROM meter_events WHERE ${within("identifier", page)}`,
  queries: [
    {
      problem: "a meter event that differs from what was settled",
      statement: (page) => `
        SELECT m.identifier AS subject,
          m.units || ' for ' || coalesce(sum(e.units) + m.closed_units, nullif(m.closed_units, 0), 'nothing') AS detail
        FROM meter_events m
        LEFT JOIN ledger e ON e.kind = 'settle' AND e.fund = 'paid' AND e.id IN (
          SELECT id FROM ledger WHERE meter_event = m.identifier
          UNION ALL SELECT id FROM ledger WHERE job_id = m.identifier AND kind = 'settle' AND meter_event IS NULL)
        LEFT JOIN billing c ON c.customer_id = m.customer_id
        LEFT JOIN former_customers f ON f.customer_id = m.customer_id
        WHERE ${within("m.identifier", page)}
        GROUP BY m.identifier
        HAVING coalesce(sum(e.units), 0) + m.closed_units <> m.units
          OR count(*) FILTER (
            WHERE coalesce(c.account_id, f.account_id) IS NOT coalesce(e.account_id, m.account_id)) > 0
        LIMIT ${MOST_OF_A_KIND}`,
    },
    {
      problem: "a meter event that can no longer be sent: reconcile it by hand",
      statement: (page) => `
        SELECT identifier AS subject, units || ' of ' || customer_id AS detail FROM meter_events
        WHERE ${within("identifier", page)} AND +sent_at IS NULL
          AND (first_tried_at <= ${sql`${now - RESENT_WITHIN_MS}`} OR at <= ${sql`${now - SENT_WITHIN_MS}`})
        LIMIT ${MOST_OF_A_KIND}`,
    },
  ],
});
