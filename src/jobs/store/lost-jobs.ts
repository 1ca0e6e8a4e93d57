import type { JobListing } from "../rules/answers.ts";
import { filesToReserve } from "../rules/admission.ts";
import { isClosed, Settlement } from "../../billing/store/settlement.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";
import { markUsed } from "../../uploads/store/job-uploads.ts";

/** The database's knowledge of a job and its account. */
export interface ListedVersion {
  /** Null if the job is not listed. */
  readonly version: number | null;
  readonly hasAccount: boolean;
  /** True if the account's erasure has started. */
  readonly isErased: boolean;
  /** True if the account's books are closed for the job, and it is not listed. */
  readonly isClosed: boolean;
}

/** The rows of jobs that were lost when an older database was restored. */
export class LostJobs extends D1Store {
  readonly #settlement = new Settlement(this.db);

  async find(jobId: string, accountId: string): Promise<ListedVersion> {
    const { version, ...row } = await this.one<
      Pick<ListedVersion, "version"> & Record<"hasAccount" | "isErased" | "isClosed", number>
    >(
      `SELECT (SELECT version FROM jobs WHERE id = ?1) AS version,
         EXISTS (SELECT 1 FROM accounts WHERE id = ?2) AS hasAccount,
         EXISTS (SELECT 1 FROM accounts WHERE id = ?2 AND erasing_at IS NOT NULL) AS isErased,
         ${isClosed("?2", "?1")} AS isClosed`,
      [jobId, accountId],
    );
    return {
      version,
      hasAccount: row.hasAccount === 1,
      isErased: row.isErased === 1,
      isClosed: version === null && row.isClosed === 1,
    };
  }

  /**
   * Lists an accepted job again, with its reservation of `units`, the rows of its uploads and the settlement that the list had;
   * all or nothing. Its account must exist. Updates existing rows. The job itself pushes changes that the list never had. A job that is
   * not listed and whose books are closed gets only the rows of its uploads.
   * @returns true if the job is listed.
   */
  async relist(listing: JobListing, units: number): Promise<boolean> {
    const { definition: job, status, error, projected, updatedAt } = listing;
    const hadAll = projected >= listing.version;
    const version = hadAll ? listing.version : 0;
    const cost = hadAll ? listing.cost : null;
    const taskIds = JSON.stringify(job.taskIds);
    const results = await this.db.batch<{ listed: number }>([
      this.statement(
        `INSERT INTO jobs (id, account_id, type, mode, total_items, status, error, version, created_at, updated_at, lane, task_ids, files, continues)
         SELECT :job, :account, :type, :mode, :tasks, :status, :error, :version, :createdAt, :updatedAt, :lane,
           iif(:status IN ('queued', 'processing'), :taskIds, NULL), :files, :continues
         WHERE NOT ${isClosed(":account", ":job")} OR EXISTS (SELECT 1 FROM jobs WHERE id = :job)
         ON CONFLICT DO UPDATE SET status = :status, error = :error, version = :version, updated_at = :updatedAt,
           task_ids = excluded.task_ids
           WHERE version < :version`,
        {
          job: job.jobId,
          account: job.accountId,
          type: job.type,
          mode: job.processingMode,
          lane: job.lane,
          tasks: job.taskIds.length,
          taskIds,
          files: filesToReserve(job),
          continues: job.continues ?? null,
          status,
          error,
          version,
          createdAt: job.createdAt,
          updatedAt,
        },
      ),
      this.#settlement.reserve(job.jobId, job.lane === "trial" ? "trial" : "paid", units),
      ...(cost === null ? [] : this.#settlement.settleAgain(job.jobId, cost, updatedAt)),
      // The sweep finds the uploads' bytes by these rows. Their content types are lost: only the bytes show them.
      this.statement(
        `INSERT INTO uploads (task_id, account_id, content_type, created_at)
         SELECT value, ?1, 'application/octet-stream', ?2 FROM json_each(?3) WHERE true ON CONFLICT DO NOTHING`,
        [job.accountId, job.createdAt, taskIds],
      ),
      markUsed(this.db, job),
      this.statement("SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ?1) AS listed", [job.jobId]),
    ]);
    return results.at(-1)?.results[0]?.listed === 1;
  }
}
