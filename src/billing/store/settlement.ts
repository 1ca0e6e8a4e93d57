import type { Fund, JobCost } from "../rules/ledger.ts";
import { meteringWindow, WINDOW_MS } from "../rules/metering.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

/**
 * SQL for true if the books are closed for a job that is not in the ledger: ids sort by time, so comparing with the greatest
 * closed one is enough. Such a job takes no more entries.
 */
export const isClosed = (accountId: string, jobId: string): string =>
  `EXISTS (SELECT 1 FROM ledger_closings AS c WHERE c.account_id = ${accountId} AND c.last_job_id >= ${jobId})`;

/** SQL for the end of a window that begins at ?3 and takes use at ?2: no window extends past a billing period's end. */
const CLOSES_AT = `CASE WHEN b.current_period_end > ?2 AND b.current_period_end < ?3 + ${WINDOW_MS}
  THEN b.current_period_end ELSE ?3 + ${WINDOW_MS} END`;

/**
 * The meter event for the usage at ?2 of the account of the ledger's entry `r`, in the window that begins at ?3 and is named ?4:
 * the event that still takes units, or the hour's next. NULL if the account is not a customer.
 */
const METER_EVENT = `
  SELECT coalesce(
    (SELECT identifier FROM meter_events AS m
     WHERE m.account_id = b.account_id AND m.window_from = ?3 AND m.closes_at = ${CLOSES_AT}
       AND m.customer_id = b.customer_id AND m.billing_version = b.version AND m.last_tried_at IS NULL),
    b.account_id || '-' || ?4 || '-' ||
      (1 + (SELECT count(*) FROM meter_events AS m WHERE m.account_id = b.account_id AND m.window_from = ?3)))
  FROM billing AS b WHERE b.account_id = r.account_id`;

/**
 * The statements that write the ledger and the meter events: the transactions of the jobs run them, because a job's row and
 * its entries are written together or not at all.
 */
export class Settlement extends D1Store {
  /** Reserves units of a fund for a job, if it is listed and its books are not closed. */
  reserve(jobId: string, fund: Fund, units: number): D1PreparedStatement {
    return this.statement(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, id, 'reserve', ?2, ?3, created_at FROM jobs
       WHERE id = ?1 AND NOT ${isClosed("jobs.account_id", "?1")}
       ON CONFLICT DO NOTHING`,
      [jobId, fund, units],
    );
  }

  /** Voids the reservations of jobs that were never accepted. */
  void(jobIds: readonly string[], at: number): D1PreparedStatement {
    return this.statement(
      `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
       SELECT account_id, job_id, 'void', fund, units, ?2 FROM ledger AS r
       WHERE job_id IN (SELECT value FROM json_each(?1)) AND kind = 'reserve'
         AND NOT EXISTS (SELECT 1 FROM ledger AS s WHERE s.job_id = r.job_id AND s.kind = 'settle')
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(jobIds), at],
    );
  }

  /**
   * Settles an ended job; run these in this order in one batch. Settles the job's usage, never more than was reserved; adds it to
   * the meter event of a paying customer in the same transaction; and releases the rest, of which the day keeps the processed
   * part. Takes effect once, and not at all for a voided job.
   * @param at the job's end
   * @param now the time of this write
   */
  settle(jobId: string, cost: JobCost, at: number, now: number): D1PreparedStatement[] {
    const { usedAt, from, name } = meteringWindow(at, now);
    return [
      this.statement(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at, meter_event)
         SELECT account_id, job_id, 'settle', fund, min(units, ?5), ?6,
           CASE WHEN fund = 'paid' AND min(units, ?5) > 0 THEN (${METER_EVENT}) END
         FROM ledger AS r
         WHERE job_id = ?1 AND kind = 'reserve'
           AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
         ON CONFLICT DO NOTHING`,
        [jobId, usedAt, from, name, cost.usedUnits, at],
      ),
      // Adds the settled units to the event that the job's entry names, if the statement before wrote the entry.
      this.statement(
        `INSERT INTO meter_events
           (identifier, customer_id, units, at, account_id, window_from, closes_at, billing_version)
         SELECT s.meter_event, b.customer_id, s.units, ?2, s.account_id, ?3, ${CLOSES_AT}, b.version
         FROM ledger AS s JOIN billing AS b ON b.account_id = s.account_id
         WHERE changes() > 0 AND s.job_id = ?1 AND s.kind = 'settle' AND s.meter_event IS NOT NULL
         ON CONFLICT (identifier) DO UPDATE SET units = units + excluded.units, at = min(at, excluded.at)`,
        [jobId, usedAt, from],
      ),
      ...this.#releaseRest(jobId, cost),
    ];
  }

  /**
   * Settles a job whose settlement the database has lost; run these in this order in one batch. Its use may have been reported,
   * so it gets a separate meter event that counts as tried long ago: it is never sent, and the ledger's check reports it until a
   * person has handled it.
   */
  settleAgain(jobId: string, cost: JobCost, at: number): D1PreparedStatement[] {
    return [
      this.statement(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
         SELECT account_id, job_id, 'settle', fund, min(units, ?2), ?3 FROM ledger
         WHERE job_id = ?1 AND kind = 'reserve'
           AND NOT EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'void')
         ON CONFLICT DO NOTHING`,
        [jobId, cost.usedUnits, at],
      ),
      this.statement(
        `INSERT INTO meter_events (identifier, customer_id, units, at, first_tried_at, last_tried_at)
         SELECT s.job_id, b.customer_id, s.units, s.at, 0, 0
         FROM ledger AS s JOIN billing AS b ON b.account_id = s.account_id
         WHERE changes() > 0 AND s.job_id = ?1 AND s.kind = 'settle' AND s.fund = 'paid' AND s.units > 0`,
        [jobId],
      ),
      ...this.#releaseRest(jobId, cost),
    ];
  }

  /**
   * Releases a job's reservation that was not settled; run these in this order. Of that, the day keeps the processed part, and
   * gets back the files that were not written: once, if the first statement wrote the entry.
   */
  #releaseRest(jobId: string, { processedUnits, files }: JobCost): D1PreparedStatement[] {
    return [
      this.statement(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
         SELECT r.account_id, r.job_id, 'release', r.fund, r.units - s.units, s.at
         FROM ledger AS r JOIN ledger AS s ON s.job_id = r.job_id AND s.kind = 'settle'
         WHERE r.job_id = ?1 AND r.kind = 'reserve'
         ON CONFLICT DO NOTHING`,
        [jobId],
      ),
      this.statement(
        `UPDATE daily_use SET
           units = daily_use.units + iif(r.fund = 'paid', max(0, min(?2, r.units) - s.units), 0),
           files = max(0, daily_use.files - max(0, coalesce((SELECT files FROM jobs WHERE id = ?1), 0) - ?3))
         FROM ledger AS r JOIN ledger AS s ON s.job_id = r.job_id AND s.kind = 'settle'
         WHERE changes() > 0 AND r.job_id = ?1 AND r.kind = 'reserve'
           AND daily_use.account_id = r.account_id AND daily_use.day = r.at / 86400000`,
        [jobId, processedUnits, files],
      ),
    ];
  }
}
