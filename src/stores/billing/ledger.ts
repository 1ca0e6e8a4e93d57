import type { AccountUse, Fund } from "../../core/billing/ledger.ts";
import { meteringWindow } from "../../core/billing/metering.ts";
import { slotOf, slotsAfter } from "../../core/billing/settled-slots.ts";
import { DAILY_USE, dailyUseOf, type DailyUseRow } from "./daily-use.ts";
import { addToMeterEvent, METER_EVENT } from "./metering-windows.ts";

export interface AccountUseRow extends DailyUseRow {
  active_jobs: number;
  active_job_id: string | null;
  used_tokens: number;
  started_at: number | null;
}

/**
 * One row, an AccountUseRow, for the account ?1. Used tokens are those reserved and neither released nor voided. The trial
 * began with the first reservation that was not voided: a job that was never accepted does not start it. Triggers of the
 * ledger keep both (migrations/0010), so that it costs the same however many entries there are.
 */
export const ACCOUNT_USE = `
  SELECT active_jobs, active_job_id,
    coalesce((SELECT used_tokens FROM trial_use WHERE account_id = ?1), 0) AS used_tokens,
    (SELECT started_at FROM trial_use WHERE account_id = ?1) AS started_at,
    ${DAILY_USE}
  FROM (SELECT count(*) AS active_jobs, max(id) AS active_job_id FROM jobs
        WHERE account_id = ?1 AND status IN ('queued', 'processing'))`;

export const accountUseOf = (row: AccountUseRow): AccountUse => ({
  activeJobs: row.active_jobs,
  activeJobId: row.active_job_id,
  trial: { usedTokens: row.used_tokens, startedAt: row.started_at },
  daily: dailyUseOf(row),
});

/**
 * Whether the books are closed for a job that is not in the ledger: ids sort by time, so the greatest closed one is enough.
 * It takes no entry any more.
 */
export const isClosed = (accountId: string, jobId: string): string =>
  `EXISTS (SELECT 1 FROM ledger_closings AS c WHERE c.account_id = ${accountId} AND c.last_job_id >= ${jobId})`;

/** Reserves units of a fund for a job, if it is listed and its books are not closed. */
export const reserve = (db: D1Database, jobId: string, fund: Fund, units: number): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, id, 'reserve', ?2, ?3, created_at FROM jobs
       WHERE id = ?1 AND NOT ${isClosed("jobs.account_id", "?1")}
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, fund, units);

/**
 * Settles an ended job; to be run in this order in one batch. It settles what the job used, never more than was reserved;
 * adds it to the meter event of a paying customer, in the same transaction or never; and releases the rest. It takes
 * effect once, and not at all on a job that was voided or that was accepted before there was a ledger.
 * @param at when the job ended @param now when this is written
 */
export const settle = (
  db: D1Database,
  jobId: string,
  units: number,
  at: number,
  now: number,
): D1PreparedStatement[] => {
  const window = meteringWindow(at, now);
  return [
    db
      .prepare(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at, meter_event)
         SELECT account_id, job_id, 'settle', fund, min(units, ?5), ?6,
           CASE WHEN fund = 'paid' AND min(units, ?5) > 0 THEN (${METER_EVENT}) END
         FROM ledger AS r
         WHERE job_id = ?1 AND kind = 'reserve'
           AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
         ON CONFLICT DO NOTHING`,
      )
      .bind(jobId, window.usedAt, window.from, window.name, units, at),
    addToMeterEvent(db, jobId, window),
    releaseRest(db, jobId),
  ];
};

/** Releases what was reserved for a job and not settled; for the batch that settles it. */
const releaseRest = (db: D1Database, jobId: string): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT r.account_id, r.job_id, 'release', r.fund, r.units - s.units, s.at
       FROM ledger AS r JOIN ledger AS s ON s.job_id = r.job_id AND s.kind = 'settle'
       WHERE r.job_id = ?1 AND r.kind = 'reserve'
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId);

/**
 * Settles a job whose settlement the database has lost; to be run in this order in one batch. Nobody knows whether its use
 * was reported, so its meter event is of this one job and counts as tried long ago: it is never sent, and the ledger's
 * check names it until somebody has looked.
 */
export const settleAgain = (
  db: D1Database,
  jobId: string,
  units: number,
  at: number,
): D1PreparedStatement[] => [
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, job_id, 'settle', fund, min(units, ?2), ?3 FROM ledger
       WHERE job_id = ?1 AND kind = 'reserve'
         AND NOT EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'void')
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, units, at),
  db
    .prepare(
      `INSERT INTO meter_events (identifier, customer_id, units, at, first_tried_at, last_tried_at)
       SELECT s.job_id, b.customer_id, s.units, s.at, 0, 0
       FROM ledger AS s JOIN billing AS b ON b.account_id = s.account_id
       WHERE changes() > 0 AND s.job_id = ?1 AND s.kind = 'settle' AND s.fund = 'paid' AND s.units > 0`,
    )
    .bind(jobId),
  releaseRest(db, jobId),
];

/** Voids what was reserved for jobs that were never accepted. */
export const voidReservations = (
  db: D1Database,
  jobIds: readonly string[],
  at: number,
): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, job_id, 'void', fund, units, ?2 FROM ledger AS r
       WHERE job_id IN (SELECT value FROM json_each(?1)) AND kind = 'reserve'
         AND NOT EXISTS (SELECT 1 FROM ledger AS s WHERE s.job_id = r.job_id AND s.kind = 'settle')
       ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(jobIds), at);

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

/**
 * The units of both funds that the account ?1 settled after ?2 (epoch ms). A trigger of the ledger keeps sums by slots; the whole
 * ones begin with slot ?3, at ?4 (epoch ms). What is left of the slot before is read entry by entry.
 */
export const SETTLED_UNITS = `
  (SELECT coalesce(sum(units), 0) FROM settled_units WHERE account_id = ?1 AND slot >= ?3)
  + (SELECT coalesce(sum(units), 0) FROM ledger
     WHERE account_id = ?1 AND fund IN ('trial', 'paid') AND kind = 'settle' AND at > ?2 AND at < ?4)`;

/** What the ledger says about an account. The jobs' own transactions write it: see stores/jobs/jobs.ts. */
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
    const { firstWhole, wholeFrom } = slotsAfter(since);
    const row = await this.#db
      .prepare(
        `SELECT account.*, b.customer_id, b.subscription_status, b.current_period_end, b.latest_invoice_status,
           ${SETTLED_UNITS} AS settled_units
         FROM (${ACCOUNT_USE}) AS account LEFT JOIN billing AS b ON b.account_id = ?1`,
      )
      .bind(accountId, since, firstWhole, wholeFrom)
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

  /** Forgets the sums of up to `limit` slots that ended before `before` (epoch ms); their entries stay. Returns how many. */
  async purgeSettledUnits(before: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        `DELETE FROM settled_units WHERE (account_id, slot) IN
           (SELECT account_id, slot FROM settled_units WHERE slot < ?1 LIMIT ?2)`,
      )
      .bind(slotOf(before), limit)
      .run();
    return meta.changes;
  }
}
