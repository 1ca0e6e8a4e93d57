/*
 * Jobs that are struck from the list, and of which something may be left in the bucket or in their objects: statements for the
 * batches that write the list.
 */

/** Notes that a listed job is deleted, for the batch that strikes it from the list. @param at epoch ms */
export const noteDeleted = (db: D1Database, jobId: string, at: number): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO deleted_jobs (job_id, account_id, deleted_at) SELECT id, account_id, ?2 FROM jobs WHERE id = ?1
       ON CONFLICT DO NOTHING`,
    )
    .bind(jobId, at);

/** Forgets deleted jobs of which nothing is left. */
export const forgetDeleted = (db: D1Database, jobIds: readonly string[]): D1PreparedStatement =>
  db
    .prepare("DELETE FROM deleted_jobs WHERE job_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(jobIds));
