import { D1Store, atHome } from "../../shared/storage/d1-store.ts";

/** A job and the time (epoch ms) that the list is sorted by: a keyset cursor. */
export interface JobAge {
  readonly jobId: string;
  readonly since: number;
}

/** Jobs in D1 by their age, for an operator and for the nightly sweeps. */
export class OldJobs extends D1Store {
  /** Up to `limit` unfinished jobs whose row has not changed since `before` (epoch ms), oldest first. */
  underWaySince(before: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    const due = "status IN ('queued', 'processing') AND updated_at < ?1";
    return this.#page("jobs", "id", "updated_at", due, before, after, limit);
  }

  /** The unfinished jobs of an account that are not its trial's: as many as may be in progress. */
  paidUnderWay(accountId: string): Promise<string[]> {
    return this.values(
      `SELECT id FROM jobs
       WHERE account_id = ?1 AND status IN ('queued', 'processing') AND lane <> 'trial'`,
      [accountId],
    );
  }

  /** Up to `limit` jobs that were created at `time` (epoch ms) or before, oldest first. */
  createdUntil(time: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    return this.#page("jobs", "id", "created_at", "created_at <= ?1", time, after, limit);
  }

  /** Up to `limit` jobs that were deleted before `time` (epoch ms) and still have files, oldest first. */
  deletedBefore(time: number, after: JobAge | null, limit: number): Promise<JobAge[]> {
    return this.#page("deleted_jobs", "job_id", "deleted_at", "deleted_at < ?1", time, after, limit);
  }

  /** A page of a table, by the column `since`: the jobs due at the time ?1, after `after`. */
  #page(
    table: string,
    id: string,
    since: string,
    due: string,
    time: number,
    after: JobAge | null,
    limit: number,
  ): Promise<JobAge[]> {
    return this.all(
      `SELECT ${id} AS jobId, ${since} AS since FROM ${table}
       WHERE ${due} AND (${since}, ${id}) > (?2, ?3) AND ${atHome()} ORDER BY ${since}, ${id} LIMIT ?4`,
      [time, after?.since ?? 0, after?.jobId ?? "", limit],
    );
  }

  /**
   * Returns where a nightly sweep left off (epoch ms); null if it starts over. A time, because an id would outlive its account's
   * erasure.
   */
  sweepCursor(sweep: string): Promise<number | null> {
    return this.statement("SELECT since FROM rounds WHERE part = ?1", [sweep]).first<number>("since");
  }

  /** Saves the time (epoch ms) from which a sweep continues next time; null: it has reached the end. */
  async saveSweepCursor(sweep: string, since: number | null): Promise<void> {
    if (since === null) await this.run("DELETE FROM rounds WHERE part = ?1", [sweep]);
    else {
      await this.run(
        "INSERT INTO rounds (part, since) VALUES (?1, ?2) ON CONFLICT (part) DO UPDATE SET since = ?2",
        [sweep, since],
      );
    }
  }
}
