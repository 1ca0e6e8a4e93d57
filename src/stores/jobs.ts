import type { ListJobsQuery } from "../contract/job.ts";
import type { JobType, ProcessingMode, Status } from "../contract/primitives.ts";
import type { JobDefinition } from "../core/job/state.ts";

/** A job as the account's list shows it; times are epoch milliseconds. */
export interface JobRow {
  readonly id: string;
  readonly type: JobType;
  readonly mode: ProcessingMode;
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
}

/** The list of jobs in D1: which exist and whose they are; their state is a copy of the JobObjects'. */
export class Jobs {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Lists a new job, unless its account has `maxActive` jobs under way already: then false, and nothing is written. */
  async insert(job: JobDefinition, maxActive: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at)
           SELECT ?1, ?2, ?3, ?4, ?5, 'queued', 1, ?6, ?6
           WHERE (SELECT count(*) FROM jobs
                  WHERE account_id = ?2 AND status IN ('queued', 'processing')) < ?7`,
      )
      .bind(job.jobId, job.accountId, job.type, job.mode, job.taskIds.length, job.createdAt, maxActive)
      .run();
    return meta.changes === 1;
  }

  /** Whether the list has the job. */
  async exists(jobId: string): Promise<boolean> {
    return (await this.#db.prepare("SELECT 1 FROM jobs WHERE id = ?1").bind(jobId).first()) !== null;
  }

  /** Updates the list's copy; an older version never overwrites a newer one. */
  async project(projection: JobProjection): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE jobs SET status = ?2, error = ?3, updated_at = ?4, version = ?5
         WHERE id = ?1 AND version < ?5`,
      )
      .bind(projection.jobId, projection.status, projection.error, projection.updatedAt, projection.version)
      .run();
  }

  /** Strikes the job from the list. */
  async delete(jobId: string): Promise<void> {
    await this.#db.prepare("DELETE FROM jobs WHERE id = ?1").bind(jobId).run();
  }

  /** Up to `query.limit` of the account's jobs, newest first, from those older than `before` on. */
  async list(accountId: string, query: ListJobsQuery, before: string | null): Promise<JobRow[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id, type, mode, total_items, status, error, created_at, updated_at FROM jobs
         WHERE account_id = ?1 AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR id = ?3)
           AND (?4 IS NULL OR mode = ?4) AND (?5 IS NULL OR status = ?5)
         ORDER BY id DESC LIMIT ?6`,
      )
      .bind(accountId, before, query.jobId ?? null, query.mode ?? null, query.status ?? null, query.limit)
      .all<JobRow>();
    return results;
  }
}
