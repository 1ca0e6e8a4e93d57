import { RESENT_WITHIN_MS, SENT_WITHIN_MS } from "../../src/core/metering.ts";
import type { Database, Row } from "./database.ts";
import { sql } from "./sql.ts";

/** The problem that one check looks for, and the statement that finds it. Its rows have a `subject` and a `detail`. */
interface Check {
  readonly problem: string;
  readonly statement: string;
}

/** How many findings of one kind are reported: more would say nothing new. */
const MOST_OF_A_KIND = 100;

/** The ledger with one row per job. A kind is NULL if the job has no entry of it. */
const BOOKS = `
  WITH books AS (
    SELECT job_id, account_id, min(fund) AS fund, min(fund) = max(fund) AND min(account_id) = max(account_id) AS alike,
      sum(units) FILTER (WHERE kind = 'reserve') AS reserved, sum(units) FILTER (WHERE kind = 'settle') AS settled,
      sum(units) FILTER (WHERE kind = 'release') AS released, sum(units) FILTER (WHERE kind = 'void') AS voided,
      max(at) AS at
    FROM ledger GROUP BY job_id)`;

const books = (select: string): string => `${BOOKS} ${select} LIMIT ${MOST_OF_A_KIND}`;

/** Excludes jobs that were accepted before the ledger existed. */
const SINCE_THE_LEDGER = "j.created_at >= (SELECT min(at) FROM ledger)";

function checks(grant: number, now: number): Check[] {
  return [
    {
      problem: "a job without a reservation",
      statement: books(`
        SELECT j.id AS subject, j.status AS detail FROM jobs j LEFT JOIN books b ON b.job_id = j.id
        WHERE b.reserved IS NULL AND ${SINCE_THE_LEDGER}`),
    },
    {
      problem: "an image job that did not reserve one unit per image",
      statement: books(`
        SELECT j.id AS subject, b.reserved || ' for ' || j.total_items AS detail
        FROM jobs j JOIN books b ON b.job_id = j.id
        WHERE j.type = 'image' AND b.reserved <> j.total_items`),
    },
    {
      problem: "an ended job that is not settled",
      statement: books(`
        SELECT j.id AS subject, j.status AS detail FROM jobs j JOIN books b ON b.job_id = j.id
        WHERE j.status IN ('success', 'failed') AND b.settled IS NULL`),
    },
    {
      problem: "a job in progress that is settled or voided",
      statement: books(`
        SELECT j.id AS subject, j.status AS detail FROM jobs j JOIN books b ON b.job_id = j.id
        WHERE j.status IN ('queued', 'processing') AND coalesce(b.settled, b.released, b.voided) IS NOT NULL`),
    },
    {
      problem: "entries of a job that do not add up",
      statement: books(`
        SELECT job_id AS subject, printf('reserved %s, settled %s, released %s, voided %s',
          coalesce(reserved, '-'), coalesce(settled, '-'), coalesce(released, '-'), coalesce(voided, '-')) AS detail
        FROM books
        WHERE reserved IS NULL OR NOT alike
          OR (voided IS NOT NULL AND (voided <> reserved OR coalesce(settled, released) IS NOT NULL))
          OR (voided IS NULL AND coalesce(settled, released) IS NOT NULL
              AND coalesce(settled + released, -1) <> reserved)`),
    },
    {
      problem: "a reservation whose job is gone",
      statement: books(`
        SELECT job_id AS subject, reserved || ' of ' || account_id AS detail FROM books
        WHERE coalesce(settled, voided) IS NULL AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = job_id)`),
    },
    {
      problem: "a trial that used more than its grant",
      statement: `${BOOKS}
        SELECT account_id AS subject, sum(used) || ' of ' || ${sql`${grant}`} AS detail
        FROM (SELECT account_id, coalesce(settled, iif(voided IS NULL, reserved, 0)) AS used
              FROM books WHERE fund = 'trial')
        GROUP BY account_id HAVING sum(used) > ${sql`${grant}`} LIMIT ${MOST_OF_A_KIND}`,
    },
    {
      problem: "a meter event that differs from what was settled",
      statement: books(`
        SELECT m.identifier AS subject, m.units || ' for ' || coalesce(b.settled, 'nothing') AS detail
        FROM meter_events m LEFT JOIN books b ON b.job_id = m.identifier AND b.fund = 'paid'
        LEFT JOIN billing c ON c.customer_id = m.customer_id
        LEFT JOIN former_customers f ON f.customer_id = m.customer_id
        WHERE b.settled IS NOT m.units OR coalesce(c.account_id, f.account_id) IS NOT b.account_id`),
    },
    {
      // Usage that was settled before the account became a customer is not metered; its first event tells since when it is one.
      problem: "a customer's usage without a meter event",
      statement: books(`
        SELECT b.job_id AS subject, b.settled || ' of ' || b.account_id AS detail
        FROM books b JOIN billing c ON c.account_id = b.account_id
        WHERE b.fund = 'paid' AND b.settled > 0
          AND NOT EXISTS (SELECT 1 FROM meter_events WHERE identifier = b.job_id)
          AND b.at >= (SELECT min(at) FROM meter_events WHERE customer_id = c.customer_id)`),
    },
    {
      problem: "a meter event that can no longer be sent: reconcile it by hand",
      statement: sql`
        SELECT identifier AS subject, units || ' of ' || customer_id AS detail FROM meter_events
        WHERE sent_at IS NULL AND (first_tried_at <= ${now - RESENT_WITHIN_MS} OR at <= ${now - SENT_WITHIN_MS})
        LIMIT ${MOST_OF_A_KIND}`,
    },
  ];
}

export interface LedgerReport {
  /** The disagreements, up to a hundred of each kind; empty if the ledger is right. */
  readonly findings: readonly Row[];
  /** The result, with the numbers of jobs, entries, accounts and units. */
  readonly summary: string;
}

/** Checks that the ledger agrees with the jobs and with the metered usage. @param grant the tokens of a trial @param now epoch milliseconds */
export async function checkLedger(
  database: Database,
  grant: number,
  now: number,
  signal?: AbortSignal,
): Promise<LedgerReport> {
  const all = checks(grant, now);
  const [counts, ...found] = await database.run(
    [
      sql`SELECT (SELECT count(*) FROM jobs) AS jobs, count(*) AS entries, count(DISTINCT account_id) AS accounts,
            coalesce(sum(units) FILTER (WHERE kind = 'settle'), 0) AS units FROM ledger`,
      ...all.map(({ statement }) => statement.trim()),
    ],
    signal,
  );
  const findings = found.flatMap((rows, i) =>
    rows.map((row) => ({ problem: all[i]?.problem ?? "", ...row })),
  );
  const { jobs = 0, entries = 0, accounts = 0, units = 0 } = counts?.[0] ?? {};
  const seen = `${jobs} jobs listed, ${entries} entries of ${accounts} accounts, ${units} units settled`;
  return {
    findings,
    summary:
      findings.length === 0
        ? `The ledger agrees: ${seen}.`
        : `The ledger disagrees in ${findings.length} ${findings.length === 1 ? "place" : "places"}: ${seen}.`,
  };
}
