import type { ListJobsQuery } from "../contract/job.ts";
import type { AccountUse, Fund, JobCost } from "../../billing/rules/ledger.ts";
import { trialLength, type TrialOffer } from "../../billing/rules/trial.ts";
import { dayOf } from "../../billing/rules/usage.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";
import type { JobListing } from "../rules/answers.ts";
import type { AcceptanceState } from "../rules/lifecycle.ts";
import type { JobDefinition } from "../rules/state.ts";
import { ACCOUNT_USE, accountUseOf, type AccountUseRow } from "../../billing/store/ledger.ts";
import { isClosed, Settlement } from "../../billing/store/settlement.ts";
import { D1Store, present } from "../../shared/storage/d1-store.ts";
import { anyDeleted, anyRefined, markUsed } from "../../uploads/store/job-uploads.ts";
import { jobsPage, type JobRow } from "./jobs-page.ts";
import { OPEN_TRIAL_TASKS } from "../../billing/store/trial-lane.ts";

/** A JobObject's push into the list; `version` orders the pushes of one job. */
export interface JobProjection extends Omit<JobListing, "definition" | "phase" | "projected"> {
  readonly jobId: string;
  /** True if the list has already confirmed the job's end: a settlement that is missing now was lost. */
  readonly again?: boolean;
}

/** The terms on which an account may have one more job. */
export interface JobTerms {
  readonly maxActiveJobs: number;
  /** The maximum units that the job can use, and the fund that pays for them. */
  readonly units: number;
  readonly fund: Fund;
  /** The trial's grant, if it is the fund. */
  readonly offer: TrialOffer;
  /** Maximum number of open tasks of trial jobs, if the trial is the fund. */
  readonly maxTrialBacklog: number;
  /** Units that the account's jobs may reserve per day; null if there is no limit. */
  readonly maxUnitsPerDay: number | null;
  readonly maxTasksPerDay: number;
  /** Maximum number of files that the job can write. */
  readonly files: number;
  /** Files that the tasks of the account's jobs may write per day. */
  readonly maxFilesPerDay: number;
  /** Maximum number of free jobs that may refine a picture, if the job is free. */
  readonly mostFreeRefinements?: number;
  /** Maximum units that the account's jobs may have reserved, or used and metered; null without a limit. */
  readonly maxMeteredUnits: number | null;
}

/** A new job's listing, the account's use and the trial lane's open tasks after it. */
export interface Listing {
  readonly listed: boolean;
  readonly use: AccountUse;
  /** Zero if the job is not a trial job. */
  readonly openTrialTasks: number;
  /** True if any of the job's uploads is deleted. */
  readonly lacksUpload: boolean;
}

interface AcceptanceRow {
  listed: number;
  voided: number;
  settled: number;
}

/** The list's answer to a push, and whether the account has webhook endpoints (true for an unlisted job). */
export interface Pushed {
  readonly acceptance: AcceptanceState;
  readonly mayHaveEndpoints: boolean;
}

function acceptanceOf(row: AcceptanceRow): AcceptanceState {
  if (row.listed === 1) return "listed";
  if (row.voided === 1) return "withdrawn";
  return row.settled === 1 ? "settled" : "missing";
}

/** The list of jobs in D1, with their owners. Their status is a projection of the JobObjects'. */
export class Jobs extends D1Store {
  readonly #settlement = new Settlement(this.db);

  /**
   * Lists a new job, reserves its units and marks its uploads as used, all or nothing. Conditions: the account's limit of active
   * jobs, its trial, its daily limits, its credit and the trial lane allow it; none of the uploads is deleted; a free job's
   * pictures have free refinements left. The transaction decides, so that concurrent requests cannot exceed a limit together.
   * Does not change a listed job; never restores a job that was removed from the list or whose books are closed.
   * @param stored the bucket's record of each of the job's uploads, in their order
   * @param along statements of other stores in the same transaction
   */
  async insert(
    job: JobDefinition,
    terms: JobTerms,
    stored: readonly StoredUpload[] = [],
    along: readonly D1PreparedStatement[] = [],
  ): Promise<Listing> {
    const { units, fund, offer } = terms;
    const taskIds = JSON.stringify(job.taskIds);
    const [, , account] = await this.db.batch<
      AccountUseRow & { listed: number; open_trial_tasks: number; lacks_upload: number }
    >([
      this.statement(
        `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at, lane, task_ids, files, continues)
         SELECT :job, :account, :type, :mode, :tasks, 'queued', 1, :now, :now, :lane, :taskIds, :files, :continues
         FROM (SELECT *, ${OPEN_TRIAL_TASKS} AS open_trial_tasks FROM (${ACCOUNT_USE}))
         WHERE active_jobs < :maxActiveJobs
           AND (:maxUnitsPerDay IS NULL OR iif(use_day >= :today, day_units, 0) + :units <= :maxUnitsPerDay)
           AND iif(use_day >= :today, day_tasks, 0) + :tasks <= :maxTasksPerDay
           AND iif(use_day >= :today, day_files, 0) + :files <= :maxFilesPerDay
           AND (:maxMeteredUnits IS NULL OR metered_units + :units <= :maxMeteredUnits)
           AND (:fund <> 'trial' OR
                (used_tokens + :units <= :trialTokens AND (started_at IS NULL OR :now < started_at + :trialLength)
                 AND (open_trial_tasks = 0 OR open_trial_tasks + :tasks <= :maxTrialBacklog)))
           AND NOT EXISTS (SELECT 1 FROM ledger WHERE job_id = :job)
           AND NOT ${isClosed(":account", ":job")} AND NOT ${anyDeleted(":taskIds")}
           AND (:mostRefined IS NULL OR NOT ${anyRefined(":taskIds", ":mostRefined")})
         ON CONFLICT DO NOTHING`,
        {
          account: job.accountId,
          job: job.jobId,
          type: job.type,
          mode: job.processingMode,
          lane: job.lane,
          tasks: job.taskIds.length,
          taskIds,
          files: terms.files,
          continues: job.continues ?? null,
          now: job.createdAt,
          today: dayOf(job.createdAt),
          fund,
          units,
          trialTokens: offer.tokens,
          trialLength: trialLength(offer),
          maxTrialBacklog: terms.maxTrialBacklog,
          maxActiveJobs: terms.maxActiveJobs,
          maxUnitsPerDay: terms.maxUnitsPerDay,
          maxTasksPerDay: terms.maxTasksPerDay,
          maxFilesPerDay: terms.maxFilesPerDay,
          maxMeteredUnits: terms.maxMeteredUnits,
          mostRefined: terms.mostFreeRefinements ?? null,
        },
      ),
      this.#settlement.reserve(job.jobId, fund, units),
      this.statement(
        `SELECT *, EXISTS (SELECT 1 FROM jobs WHERE id = ?2) AS listed,
           iif(?3 = 'trial', ${OPEN_TRIAL_TASKS}, 0) AS open_trial_tasks, ${anyDeleted("?4")} AS lacks_upload
         FROM (${ACCOUNT_USE})`,
        [job.accountId, job.jobId, fund, taskIds],
      ),
      markUsed(this.db, job, stored),
      ...along,
    ]);
    const row = present(account?.results[0]);
    return {
      listed: row.listed === 1,
      use: accountUseOf(row),
      openTrialTasks: row.open_trial_tasks,
      lacksUpload: row.lacks_upload === 1,
    };
  }

  /** Returns the job's state in the list and the ledger. */
  async acceptance(jobId: string): Promise<AcceptanceState> {
    return acceptanceOf(present(await this.#acceptance(jobId).first<AcceptanceRow>()));
  }

  /** Returns an AcceptanceRow, with further columns if given. */
  #acceptance(jobId: string, further = ""): D1PreparedStatement {
    return this.statement(
      `SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ?1) AS listed,
         EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'void') AS voided,
         EXISTS (SELECT 1 FROM ledger WHERE job_id = ?1 AND kind = 'settle') AS settled${further}`,
      [jobId],
    );
  }

  /**
   * Writes a projection; an older version never overwrites a newer one. The last one also settles the job.
   * @returns the list's answer about the job and its account.
   */
  async project(projection: JobProjection): Promise<Pushed> {
    const { jobId, status, error, updatedAt, version, cost, again = false } = projection;
    const endpoints = `EXISTS (SELECT 1 FROM webhook_endpoints
      WHERE account_id = (SELECT account_id FROM jobs WHERE id = ?1) AND deleted_at IS NULL)`;
    const [read] = await this.db.batch<AcceptanceRow & { has_endpoints: number }>([
      this.#acceptance(jobId, `, ${endpoints} AS has_endpoints`),
      this.statement(
        `UPDATE jobs SET status = ?2, error = ?3, updated_at = ?4, version = ?5,
           task_ids = iif(?2 IN ('queued', 'processing'), task_ids, NULL)
         WHERE id = ?1 AND version < ?5`,
        [jobId, status, error, updatedAt, version],
      ),
      ...(cost === null ? [] : this.#settle(jobId, cost, updatedAt, again)),
    ]);
    const row = present(read?.results[0]);
    const acceptance = acceptanceOf(row);
    return { acceptance, mayHaveEndpoints: acceptance !== "listed" || row.has_endpoints === 1 };
  }

  /** Moves an accepted job that is being forgotten from the list to the deleted jobs; its usage stays settled. */
  async retire(jobId: string, cost: JobCost, at: number, again = false): Promise<void> {
    await this.db.batch([
      ...this.#settle(jobId, cost, at, again),
      this.statement(
        `INSERT INTO deleted_jobs (job_id, account_id, deleted_at) SELECT id, account_id, ?2 FROM jobs WHERE id = ?1
         ON CONFLICT DO NOTHING`,
        [jobId, Date.now()],
      ),
      ...this.#strike([jobId]),
    ]);
  }

  /** Forgets a retired job that has nothing left. */
  async forget(jobId: string): Promise<void> {
    await this.db.batch([this.deletion("deleted_jobs", "job_id", [jobId]), ...this.#strike([jobId])]);
  }

  #settle(jobId: string, cost: JobCost, at: number, again: boolean): D1PreparedStatement[] {
    return again
      ? this.#settlement.settleAgain(jobId, cost, at)
      : this.#settlement.settle(jobId, cost, at, Date.now());
  }

  /** Removes a job that was never accepted from the list, and voids its reservation. */
  async withdraw(jobId: string, now: number): Promise<void> {
    await this.withdrawAll([jobId], now);
  }

  /** Like `withdraw`, for many jobs with a few statements: D1 takes a thousand from one run of a Worker. */
  async withdrawAll(jobIds: readonly string[], now: number): Promise<void> {
    await this.db.batch([
      this.#settlement.void(jobIds, now),
      this.deletion("deleted_jobs", "job_id", jobIds),
      ...this.#strike(jobIds),
    ]);
  }

  /** Removes jobs from the list, with their dead letters, which could not be replayed. */
  #strike(jobIds: readonly string[]): D1PreparedStatement[] {
    return [this.deletion("dead_letters", "job_id", jobIds), this.deletion("jobs", "id", jobIds)];
  }

  /** Up to `query.limit` of the account's jobs that are older than `before`, newest first. */
  list(accountId: string, query: ListJobsQuery, before: string | null): Promise<JobRow[]> {
    const { sql, values } = jobsPage(accountId, query, before);
    return this.all(sql, values);
  }
}
