/** A job and since when (epoch ms) it is what was asked for: a keyset cursor. */
export interface JobAge {
  readonly jobId: string;
  readonly since: number;
}

/** Jobs in D1 that an operator or the nightly look asks for by their age. */
export class OldJobs {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Up to `limit` jobs that are under way and whose row has not changed since `before` (epoch ms), oldest first. */
  async underWaySince(before: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id AS jobId, updated_at AS since FROM jobs
         WHERE status IN ('queued', 'processing') AND updated_at < ?1 AND (updated_at, id) > (?2, ?3)
         ORDER BY updated_at, id LIMIT ?4`,
      )
      .bind(before, after?.since ?? 0, after?.jobId ?? "", limit)
      .all<JobAge>();
    return results;
  }

  /** Up to `limit` jobs that were created at `time` (epoch ms) or before, oldest first. */
  async createdUntil(time: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id AS jobId, created_at AS since FROM jobs
         WHERE created_at <= ?1 AND (created_at, id) > (?2, ?3) ORDER BY created_at, id LIMIT ?4`,
      )
      .bind(time, after?.since ?? 0, after?.jobId ?? "", limit)
      .all<JobAge>();
    return results;
  }

  /** Up to `limit` jobs that were deleted before `time` (epoch ms) and of which something is left, oldest first. */
  async deletedBefore(time: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT job_id AS jobId, deleted_at AS since FROM deleted_jobs
         WHERE deleted_at < ?1 AND (deleted_at, job_id) > (?2, ?3) ORDER BY deleted_at, job_id LIMIT ?4`,
      )
      .bind(time, after?.since ?? 0, after?.jobId ?? "", limit)
      .all<JobAge>();
    return results;
  }
}
