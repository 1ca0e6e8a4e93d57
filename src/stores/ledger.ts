import type { AccountUse, Fund } from "../core/ledger.ts";

export interface AccountUseRow {
  active_jobs: number;
  active_job_id: string | null;
  used_tokens: number;
  started_at: number | null;
}

/**
 * One row, an AccountUseRow, for the account ?1. Used tokens are those reserved and neither released nor voided. The trial
 * began with the first reservation that was not voided: a job that was never accepted does not start it.
 */
export const ACCOUNT_USE = `
  SELECT active_jobs, active_job_id,
    (SELECT coalesce(sum(CASE kind WHEN 'reserve' THEN units WHEN 'settle' THEN 0 ELSE -units END), 0)
     FROM ledger WHERE account_id = ?1 AND fund = 'trial') AS used_tokens,
    (SELECT at FROM ledger AS r WHERE account_id = ?1 AND fund = 'trial' AND kind = 'reserve'
       AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
     ORDER BY at LIMIT 1) AS started_at
  FROM (SELECT count(*) AS active_jobs, max(id) AS active_job_id FROM jobs
        WHERE account_id = ?1 AND status IN ('queued', 'processing'))`;

export const accountUseOf = (row: AccountUseRow): AccountUse => ({
  activeJobs: row.active_jobs,
  activeJobId: row.active_job_id,
  trial: { usedTokens: row.used_tokens, startedAt: row.started_at },
});

/** Reserves units of a fund for a job, if it is listed. */
export const reserve = (db: D1Database, jobId: string, fund: Fund, units: number): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, id, 'reserve', ?2, ?3, created_at FROM jobs WHERE id = ?1
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, fund, units);

/**
 * Settles an ended job; to be run in this order in one batch. It settles what the job used, never more than was reserved;
 * writes the meter event of a paying customer, in the same transaction or never; and releases the rest. It takes effect
 * once, and not at all on a job that was voided or that was accepted before there was a ledger.
 */
export const settle = (db: D1Database, jobId: string, units: number, at: number): D1PreparedStatement[] => [
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, job_id, 'settle', fund, min(units, ?2), ?3 FROM ledger AS r
       WHERE job_id = ?1 AND kind = 'reserve'
         AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, units, at),
  db
    .prepare(
      `INSERT INTO meter_events (identifier, customer_id, units, at)
       SELECT s.job_id, b.customer_id, s.units, s.at
       FROM ledger AS s JOIN billing AS b ON b.account_id = s.account_id
       WHERE changes() > 0 AND s.job_id = ?1 AND s.kind = 'settle' AND s.fund = 'paid' AND s.units > 0`,
    )
    .bind(jobId),
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT r.account_id, r.job_id, 'release', r.fund, r.units - s.units, s.at
       FROM ledger AS r JOIN ledger AS s ON s.job_id = r.job_id AND s.kind = 'settle'
       WHERE r.job_id = ?1 AND r.kind = 'reserve'
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId),
];

/** Voids what was reserved for a job that was never accepted. */
export const voidReservation = (db: D1Database, jobId: string, at: number): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, job_id, 'void', fund, units, ?2 FROM ledger AS r
       WHERE job_id = ?1 AND kind = 'reserve'
         AND NOT EXISTS (SELECT 1 FROM ledger AS s WHERE s.job_id = r.job_id AND s.kind = 'settle')
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, at);

/** An account at the payment provider, as of the last webhook. */
export interface BillingState {
  readonly subscriptionStatus: string | null;
  /** Epoch milliseconds. */
  readonly currentPeriodEnd: number | null;
  readonly latestInvoiceStatus: string | null;
}

/** All that an account's overview is made of. */
export interface AccountFigures {
  readonly use: AccountUse;
  /** Units of both funds that were settled since the requested time. */
  readonly settledUnits: number;
  /** Null if the account is not a customer. */
  readonly billing: BillingState | null;
}

interface FiguresRow extends AccountUseRow {
  settled_units: number;
  customer_id: string | null;
  subscription_status: string | null;
  current_period_end: number | null;
  latest_invoice_status: string | null;
}

/** What the ledger says about an account. The jobs' own transactions write it: see stores/jobs.ts. */
export class Ledger {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** What an account has under way, and what it has used of its trial. */
  async use(accountId: string): Promise<AccountUse> {
    const row = await this.#db.prepare(ACCOUNT_USE).bind(accountId).first<AccountUseRow>();
    if (row === null) throw new Error("a count gave no row");
    return accountUseOf(row);
  }

  /** What an account has under way and used, what it used since `since` (epoch ms), its billing: one read. */
  async figures(accountId: string, since: number): Promise<AccountFigures> {
    const row = await this.#db
      .prepare(
        `SELECT account.*, b.customer_id, b.subscription_status, b.current_period_end, b.latest_invoice_status,
           (SELECT coalesce(sum(units), 0) FROM ledger
            WHERE account_id = ?1 AND fund IN ('trial', 'paid') AND kind = 'settle' AND at > ?2) AS settled_units
         FROM (${ACCOUNT_USE}) AS account LEFT JOIN billing AS b ON b.account_id = ?1`,
      )
      .bind(accountId, since)
      .first<FiguresRow>();
    if (row === null) throw new Error("a count gave no row");
    const { subscription_status: subscriptionStatus, current_period_end: currentPeriodEnd } = row;
    return {
      use: accountUseOf(row),
      settledUnits: row.settled_units,
      billing:
        row.customer_id === null
          ? null
          : { subscriptionStatus, currentPeriodEnd, latestInvoiceStatus: row.latest_invoice_status },
    };
  }
}
