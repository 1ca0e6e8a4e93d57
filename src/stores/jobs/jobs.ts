import type { ListJobsQuery } from "../../contract/job.ts";
import type { JobType, ProcessingMode, Status } from "../../contract/primitives.ts";
import { dayOf } from "../../core/billing/daily-use.ts";
import type { Standing } from "../../core/jobs/listing.ts";
import type { JobDefinition } from "../../core/jobs/state.ts";
import type { AccountUse, Fund } from "../../core/billing/ledger.ts";
import { trialLength, type TrialOffer } from "../../core/billing/trial.ts";
import { forgetLetters } from "./dead-letters.ts";
import { forgetDeleted, noteDeleted } from "./deleted-jobs.ts";
import { anyDeleted } from "../uploads/deleted-uploads.ts";
import { jobsPage } from "./jobs-page.ts";
import {
  ACCOUNT_USE,
  accountUseOf,
  isClosed,
  reserve,
  settle,
  settleAgain,
  voidReservations,
  type AccountUseRow,
} from "../billing/ledger.ts";
import { OPEN_TRIAL_TASKS } from "./trial-lane.ts";
import { markUsed } from "../uploads/uploads.ts";
import { hasEndpoints } from "../webhooks/endpoints.ts";

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
  /** Whether the list confirmed the job's end before: a settlement that is not there now was lost. */
  readonly again?: boolean;
}

/** The terms on which an account may have one more job. */
export interface JobTerms {
  readonly maxActiveJobs: number;
  /** The most units that the job can use, and the fund that pays for them. */
  readonly units: number;
  readonly fund: Fund;
  /** What the trial grants, if it is the fund. */
  readonly offer: TrialOffer;
  /** Tasks of trial jobs that may be open at a time, if it is the fund. */
  readonly maxTrialBacklog: number;
  /** Units that the account's jobs may reserve a day; null if there is no limit. */
  readonly maxUnitsPerDay: number | null;
  readonly maxTasksPerDay: number;
}

/** Whether a job is listed; the account's use and the trial lane's open tasks after that. */
export interface Listing {
  readonly listed: boolean;
  readonly use: AccountUse;
  /** Zero if the job is none of the trial's. */
  readonly openTrialTasks: number;
  /** Whether an upload of the job is deleted. */
  readonly lacksUpload: boolean;
}

interface StandingRow {
  listed: number;
  voided: number;
  settled: number;
}

/** What the list says of a job that was pushed, and whether its account has webhook endpoints: that of a job that is not listed may. */
export interface Pushed {
  readonly standing: Standing;
  readonly mayHaveEndpoints: boolean;
}

function standingOf(row: StandingRow | null | undefined): Standing {
  if (row === null || row === undefined) throw new Error("a count gave no row");
  if (row.listed === 1) return "listed";
  if (row.voided === 1) return "withdrawn";
  return row.settled === 1 ? "settled" : "missing";
}

/** The list of jobs in D1: which exist, and whose they are. Their status is a projection of the JobObjects'. */
export class Jobs {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Lists a new job, reserves its units and marks its uploads as used, all or nothing, if the account's limit of jobs under
   * way, what is left of its trial or of its day, and the room in the trial lane allow it, and none of its uploads is deleted.
   * The transaction decides, so that of many jobs at once no more get in than fit. A job that is listed already stays as it is; one that was struck from the list never comes
   * back, nor one of closed books.
   */
  async insert(job: JobDefinition, terms: JobTerms): Promise<Listing> {
    const { maxActiveJobs, units, fund, offer, maxTrialBacklog, maxUnitsPerDay, maxTasksPerDay } = terms;
    const taskIds = JSON.stringify(job.taskIds);
    const [, , account] = await this.#db.batch<
      AccountUseRow & { listed: number; open_trial_tasks: number; lacks_upload: number }
    >([
      this.#db
        .prepare(
          `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at, lane, task_ids)
           SELECT ?2, ?1, ?3, ?4, ?5, 'queued', 1, ?6, ?6, ?12, ?17
           FROM (SELECT *, ${OPEN_TRIAL_TASKS} AS open_trial_tasks FROM (${ACCOUNT_USE}))
           WHERE active_jobs < ?7
             AND (?14 IS NULL OR iif(use_day >= ?15, day_units, 0) + ?9 <= ?14)
             AND iif(use_day >= ?15, day_tasks, 0) + ?5 <= ?16
             AND (?8 <> 'trial' OR
                  (used_tokens + ?9 <= ?10 AND (started_at IS NULL OR ?6 < started_at + ?11)
                   AND (open_trial_tasks = 0 OR open_trial_tasks + ?5 <= ?13)))
             AND NOT EXISTS (SELECT 1 FROM ledger WHERE job_id = ?2)
             AND NOT ${isClosed("?1", "?2")} AND NOT ${anyDeleted("?17")}
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
          job.lane,
          maxTrialBacklog,
          maxUnitsPerDay,
          dayOf(job.createdAt),
          maxTasksPerDay,
          taskIds,
        ),
      reserve(this.#db, job.jobId, fund, units),
      this.#db
        .prepare(
          `SELECT *, EXISTS (SELECT 1 FROM jobs WHERE id = ?2) AS listed,
             iif(?3 = 'trial', ${OPEN_TRIAL_TASKS}, 0) AS open_trial_tasks, ${anyDeleted("?4")} AS lacks_upload
           FROM (${ACCOUNT_USE})`,
        )
        .bind(job.accountId, job.jobId, fund, taskIds),
      markUsed(this.#db, job),
    ]);
    const row = account?.results[0];
    if (row === undefined) throw new Error("a count gave no row");
    return {
      listed: row.listed === 1,
      use: accountUseOf(row),
      openTrialTasks: row.open_trial_tasks,
      lacksUpload: row.lacks_upload === 1,
    };
  }

  /** What the list and the ledger say of the job. */
  async standing(jobId: string): Promise<Standing> {
    return standingOf(await this.#standing(jobId).first<StandingRow>());
  }

  /** A StandingRow, with further columns if they are given. */
  #standing(jobId: string, further = ""): D1PreparedStatement {
    return this.#db
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ?1) AS listed,
           EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'void') AS voided,
           EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'settle') AS settled${further}`,
      )
      .bind(jobId);
  }

  /**
   * Writes a projection; an older version never overwrites a newer one. The last one also settles the job.
   * @returns what the list says of the job and its account.
   */
  async project(projection: JobProjection): Promise<Pushed> {
    const { jobId, status, error, updatedAt, version, usedUnits, again = false } = projection;
    const [read] = await this.#db.batch<StandingRow & { has_endpoints: number }>([
      this.#standing(
        jobId,
        `, ${hasEndpoints("(SELECT account_id FROM jobs WHERE id = ?1)")} AS has_endpoints`,
      ),
      this.#db
        .prepare(
          `UPDATE jobs SET status = ?2, error = ?3, updated_at = ?4, version = ?5,
             task_ids = iif(?2 IN ('queued', 'processing'), task_ids, NULL)
           WHERE id = ?1 AND version < ?5`,
        )
        .bind(jobId, status, error, updatedAt, version),
      ...(usedUnits === null ? [] : this.#settle(jobId, usedUnits, updatedAt, again)),
    ]);
    const row = read?.results[0];
    const standing = standingOf(row);
    return { standing, mayHaveEndpoints: standing !== "listed" || row?.has_endpoints === 1 };
  }

  /** Strikes an accepted job that is being forgotten from the list, into the deleted jobs; what it used stays settled. */
  async retire(jobId: string, usedUnits: number, at: number, again = false): Promise<void> {
    await this.#db.batch([
      ...this.#settle(jobId, usedUnits, at, again),
      noteDeleted(this.#db, jobId, Date.now()),
      ...this.#strike([jobId]),
    ]);
  }

  /** Forgets a retired job of which nothing is left. */
  async forget(jobId: string): Promise<void> {
    await this.#db.batch([forgetDeleted(this.#db, [jobId]), ...this.#strike([jobId])]);
  }

  #settle(jobId: string, units: number, at: number, again: boolean): D1PreparedStatement[] {
    return again ? settleAgain(this.#db, jobId, units, at) : settle(this.#db, jobId, units, at, Date.now());
  }

  /** Strikes a job that was never accepted from the list, and voids what was reserved for it. */
  async withdraw(jobId: string, now: number): Promise<void> {
    await this.withdrawAll([jobId], now);
  }

  /** As `withdraw`, for many jobs by three statements: D1 takes a thousand from one run of a Worker. */
  async withdrawAll(jobIds: readonly string[], now: number): Promise<void> {
    await this.#db.batch([
      voidReservations(this.#db, jobIds, now),
      forgetDeleted(this.#db, jobIds),
      ...this.#strike(jobIds),
    ]);
  }

  #strike(jobIds: readonly string[]): D1PreparedStatement[] {
    return [
      forgetLetters(this.#db, jobIds),
      this.#db
        .prepare("DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?1))")
        .bind(JSON.stringify(jobIds)),
    ];
  }

  /** Up to `query.limit` of the account's jobs that are older than `before`, newest first. */
  async list(accountId: string, query: ListJobsQuery, before: string | null): Promise<JobRow[]> {
    const { sql, values } = jobsPage(accountId, query, before);
    const { results } = await this.#db
      .prepare(sql)
      .bind(...values)
      .all<JobRow>();
    return results;
  }
}
