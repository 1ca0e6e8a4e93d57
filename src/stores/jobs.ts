import type { ListJobsQuery } from "../contract/job.ts";
import type { JobType, ProcessingMode, Status } from "../contract/primitives.ts";
import type { JobDefinition } from "../core/job/state.ts";
import type { AccountUse, Fund } from "../core/ledger.ts";
import { trialLength, type TrialOffer } from "../core/trial.ts";
import { ACCOUNT_USE, accountUseOf, reserve, settle, voidReservation, type AccountUseRow } from "./ledger.ts";

/** A job as the account's list shows it; times are epoch milliseconds. */
export interface JobRow {
  readonly id: string;
  readonly type: JobType;
  readonly processing_mode: ProcessingMode;
  readonly total_items: number;
  readonly status: Status;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What a JobObject pushes into the list; `version` orders the pushes of one job. */
export interface JobProjection {
  readonly jobId: string;
  readonly version: number;
  readonly status: Status;
  readonly error: string | null;
  readonly updatedAt: number;
  /** What the job used; null while it is under way. */
  readonly usedUnits: number | null;
}

/** The terms on which an account may have one more job. */
export interface JobTerms {
  readonly maxActiveJobs: number;
  /** The most units that the job can use, and the fund that pays for them. */
  readonly units: number;
  readonly fund: Fund;
  /** What the trial grants, if it is the fund. */
  readonly offer: TrialOffer;
}

/** Whether a job is listed, and the account's use after that. */
export interface Listing {
  readonly listed: boolean;
  readonly use: AccountUse;
}

/** The list of jobs in D1: which exist, and whose they are. Their status is a projection of the JobObjects'. */
export class Jobs {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Lists a new job and reserves its units, both or neither, if the account's limit of jobs under way and what is left of
   * its trial allow it. The transaction decides, so that of many jobs at once no more get in than fit. A job that is
   * listed already stays as it is; one that was struck from the list never comes back.
   */
  async insert(job: JobDefinition, { maxActiveJobs, units, fund, offer }: JobTerms): Promise<Listing> {
    const [, , account] = await this.#db.batch<AccountUseRow & { listed: number }>([
      this.#db
        .prepare(
          `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at)
           SELECT ?2, ?1, ?3, ?4, ?5, 'queued', 1, ?6, ?6 FROM (${ACCOUNT_USE})
           WHERE active_jobs < ?7
             AND (?8 <> 'trial' OR
                  (used_tokens + ?9 <= ?10 AND (started_at IS NULL OR ?6 < started_at + ?11)))
             AND NOT EXISTS (SELECT 1 FROM ledger WHERE job_id = ?2)
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          job.accountId,
          job.jobId,
          job.type,
          job.processingMode,
          job.taskIds.length,
          job.createdAt,
          maxActiveJobs,
          fund,
          units,
          offer.tokens,
          trialLength(offer),
        ),
      reserve(this.#db, job.jobId, fund, units),
      this.#db
        .prepare(`SELECT *, EXISTS (SELECT 1 FROM jobs WHERE id = ?2) AS listed FROM (${ACCOUNT_USE})`)
        .bind(job.accountId, job.jobId),
    ]);
    const row = account?.results[0];
    if (row === undefined) throw new Error("a count gave no row");
    return { listed: row.listed === 1, use: accountUseOf(row) };
  }

  /** Whether the list has the job. */
  async exists(jobId: string): Promise<boolean> {
    return (await this.#exists(jobId).first()) !== null;
  }

  #exists(jobId: string): D1PreparedStatement {
    return this.#db.prepare("SELECT 1 FROM jobs WHERE id = ?1").bind(jobId);
  }

  /**
   * Writes a projection; an older version never overwrites a newer one. The last one also settles the job.
   * @returns whether the list has the job.
   */
  async project(projection: JobProjection): Promise<boolean> {
    const { jobId, status, error, updatedAt, version, usedUnits } = projection;
    const [listed] = await this.#db.batch([
      this.#exists(jobId),
      this.#db
        .prepare(
          `UPDATE jobs SET status = ?2, error = ?3, updated_at = ?4, version = ?5
           WHERE id = ?1 AND version < ?5`,
        )
        .bind(jobId, status, error, updatedAt, version),
      ...(usedUnits === null ? [] : settle(this.#db, jobId, usedUnits, updatedAt)),
    ]);
    return listed?.results.length === 1;
  }

  /** Strikes an accepted job that is past its retention from the list; what it used stays settled. */
  async retire(jobId: string, usedUnits: number, at: number): Promise<void> {
    await this.#db.batch([...settle(this.#db, jobId, usedUnits, at), this.#strike(jobId)]);
  }

  /** Strikes a job that was never accepted from the list, and voids what was reserved for it. */
  async withdraw(jobId: string, now: number): Promise<void> {
    await this.#db.batch([voidReservation(this.#db, jobId, now), this.#strike(jobId)]);
  }

  #strike(jobId: string): D1PreparedStatement {
    return this.#db.prepare("DELETE FROM jobs WHERE id = ?1").bind(jobId);
  }

  /** Up to `query.limit` of the account's jobs that are older than `before`, newest first. */
  async list(accountId: string, query: ListJobsQuery, before: string | null): Promise<JobRow[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id, type, mode AS processing_mode, total_items, status, error, created_at, updated_at FROM jobs
         WHERE account_id = ?1 AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR id = ?3)
           AND (?4 IS NULL OR mode = ?4) AND (?5 IS NULL OR status = ?5)
         ORDER BY id DESC LIMIT ?6`,
      )
      .bind(accountId, before, query.jobId ?? null, query.mode ?? null, query.status ?? null, query.limit)
      .all<JobRow>();
    return results;
  }
}
