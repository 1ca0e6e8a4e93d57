import type { Lane } from "@segmentation/protocol";
import { D1Store, present } from "../../shared/storage/d1-store.ts";

/** The open work of a lane. */
export interface LaneGauges {
  readonly openJobs: number;
  /** All tasks of open jobs: ended ones count until their job ends. */
  readonly openTasks: number;
  /** Jobs none of whose tasks the inference service has taken yet. */
  readonly waitingJobs: number;
  /** Time at which the oldest of these was accepted (epoch ms); null if none waits. */
  readonly waitingSince: number | null;
}

export interface DatabaseGauges {
  readonly bytes: number;
  /** Unfinished jobs whose row has not changed since the requested time. */
  readonly stuckJobs: number;
  readonly deadLetters: number;
  /** Deleted jobs that still have files after their last purge. */
  readonly unpurgedJobs: number;
}

/** Uploads whose size should be known: it was not signed, no event has reported it, and the inspection is late. */
export interface UploadGauges {
  readonly unsized: number;
  /** Time at which the first of these was to be inspected (epoch ms); null if there is none. */
  readonly dueSince: number | null;
}

/** A subscriber's used or reserved units that are not paid. */
export interface UnpaidUnits {
  readonly accountId: string;
  readonly units: number;
  readonly paidUnits: number;
  /** Units that it may owe before it has paid for any, if the operator set a number for this account alone. */
  readonly creditUnits: number | null;
}

/** The cost of a paying account's jobs of a day, in each kind, without work in progress. */
export interface DayOfAccount {
  readonly accountId: string;
  readonly tasks: number;
  /** Units that were processed, charged or not. */
  readonly units: number;
  readonly files: number;
  /** Units that its jobs settled on the day. */
  readonly chargedUnits: number;
}

/** A reading covers at most this many open jobs, those whose row has not changed for longest. */
const MOST_JOBS = 50_000;
/** And this many uploads, those due for longest. */
const MOST_UPLOADS = 50_000;
const DAY_MS = 86_400_000;

/** Measures of load and size, in D1. */
export class Gauges extends D1Store {
  lane(lane: Lane): Promise<LaneGauges> {
    return this.one(
      `SELECT count(*) AS openJobs, coalesce(sum(total_items), 0) AS openTasks,
         count(*) FILTER (WHERE status = 'queued') AS waitingJobs,
         min(created_at) FILTER (WHERE status = 'queued') AS waitingSince
       FROM (SELECT lane, status, total_items, created_at FROM jobs
             WHERE status IN ('queued', 'processing') AND updated_at > 0 ORDER BY updated_at, id LIMIT ?2)
       WHERE lane = ?1`,
      [lane, MOST_JOBS],
    );
  }

  /** The tasks of open jobs that could run at the same time. @param window the most of a job */
  async runnable(window: number): Promise<number> {
    const { runnable } = await this.one<{ runnable: number }>(
      `SELECT coalesce(sum(min(total_items, ?1)), 0) AS runnable
       FROM (SELECT total_items FROM jobs
             WHERE status IN ('queued', 'processing') AND updated_at > 0 ORDER BY updated_at, id LIMIT ?2)`,
      [window, MOST_JOBS],
    );
    return runnable;
  }

  /** @param now epoch ms */
  uploads(now: number): Promise<UploadGauges> {
    return this.one(
      `SELECT count(*) AS unsized, min(inspect_at) AS dueSince
       FROM (SELECT inspect_at FROM uploads WHERE inspect_at <= ?1 ORDER BY inspect_at LIMIT ?2)`,
      [now, MOST_UPLOADS],
    );
  }

  /** The subscribers with the most unpaid units, including those whose subscription has ended: at most `limit`. */
  unpaid(limit: number): Promise<UnpaidUnits[]> {
    // SQLite keeps the order of a CROSS JOIN: accounts that never reserved a paid unit are not read.
    return this.all(
      `SELECT a.id AS accountId, m.units - coalesce(b.paid_units, 0) AS units,
         coalesce(b.paid_units, 0) AS paidUnits, a.credit_units AS creditUnits
       FROM metered_use AS m CROSS JOIN accounts AS a ON a.id = m.account_id LEFT JOIN billing AS b ON b.account_id = a.id
       WHERE m.units > coalesce(b.paid_units, 0) AND (b.account_id IS NOT NULL OR a.plan <> 'paid')
       ORDER BY 2 DESC LIMIT ?1`,
      [limit],
    );
  }

  /**
   * The paying accounts whose jobs of a day exceed the day's charges by most: at most `limit`.
   * @param day epoch days, UTC
   * @param filesPerUnit number of files that may cost as much as a unit
   */
  uncharged(day: number, filesPerUnit: number, limit: number): Promise<DayOfAccount[]> {
    return this.all(
      `SELECT accountId, tasks, units, files, chargedUnits FROM (
         SELECT d.account_id AS accountId, d.tasks - coalesce(sum(j.total_items), 0) AS tasks,
           d.units - coalesce(sum(r.units), 0) AS units, d.files - coalesce(sum(j.files), 0) AS files,
           coalesce((SELECT u.units FROM usage_days AS u WHERE u.account_id = d.account_id AND u.day = ?1), 0) AS chargedUnits
         FROM daily_use AS d
         LEFT JOIN jobs AS j ON j.account_id = d.account_id AND j.status IN ('queued', 'processing')
           AND j.created_at >= ?1 * ${DAY_MS}
         LEFT JOIN ledger AS r ON r.job_id = j.id AND r.kind = 'reserve'
         WHERE d.day = ?1 AND EXISTS (SELECT 1 FROM ledger WHERE account_id = d.account_id AND fund = 'paid'
           AND kind = 'reserve' AND at >= ?1 * ${DAY_MS})
         GROUP BY d.account_id)
       WHERE max(tasks, units, files / ?2) > chargedUnits
       ORDER BY max(tasks, units, files / ?2) - chargedUnits DESC LIMIT ?3`,
      [day, filesPerUnit, limit],
    );
  }

  /**
   * Returns for how long the sweep's oldest row has been due, milliseconds; not above 0 if nothing is due.
   * @param unusedUploads @param uploads @param keys @param events epoch ms: older rows are due
   */
  async unsweptMs(unusedUploads: number, uploads: number, keys: number, events: number): Promise<number> {
    const { ms } = await this.one<{ ms: number | null }>(
      `SELECT max(ms) AS ms FROM (
         SELECT ?1 - min(created_at) AS ms FROM uploads WHERE unused = 1
         UNION ALL SELECT ?2 - min(created_at) FROM uploads
         UNION ALL SELECT ?3 - min(created_at) FROM idempotency_keys
         UNION ALL SELECT ?4 - min(received_at) FROM stripe_events)`,
      [unusedUploads, uploads, keys, events],
    );
    return ms ?? 0;
  }

  /** Measures how long a read of one row takes, including its wait, in milliseconds. A database runs one statement at a time. */
  async readMs(): Promise<number> {
    const begun = Date.now();
    await this.all("SELECT max(id) FROM accounts");
    return Date.now() - begun;
  }

  /** @param unchangedSince @param purgedBy epoch ms: jobs deleted before this should be gone */
  async database(unchangedSince: number, purgedBy: number): Promise<DatabaseGauges> {
    const { results, meta } = await this.statement(
      `SELECT (SELECT count(*) FROM jobs WHERE status IN ('queued', 'processing') AND updated_at < ?1) AS stuckJobs,
         (SELECT count(*) FROM dead_letters WHERE id > 0) AS deadLetters,
         (SELECT count(*) FROM deleted_jobs WHERE deleted_at < ?2) AS unpurgedJobs`,
      [unchangedSince, purgedBy],
    ).all<Omit<DatabaseGauges, "bytes">>();
    return { ...present(results[0]), bytes: meta.size_after };
  }
}
