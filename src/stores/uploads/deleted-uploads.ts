import { expiredPresign } from "../../core/uploads/inspection.ts";
import type { DueUpload } from "./uploads.ts";

/** Whether any upload of a list of ids (an SQL expression of JSON) is deleted. The plus has the ids name the rows. */
export const anyDeleted = (taskIds: string): string =>
  `EXISTS (SELECT 1 FROM uploads
           WHERE task_id IN (SELECT value FROM json_each(${taskIds})) AND +deleted_at IS NOT NULL)`;

/** A job under way of the account ?1 that needs the upload whose quoted id is ?3, or may: an older Worker wrote no ids. */
const NEEDED_BY = `SELECT id FROM jobs
  WHERE account_id = ?1 AND status IN ('queued', 'processing') AND (task_ids IS NULL OR instr(task_ids, ?3) > 0)
  LIMIT 1`;

/** What becomes of an upload that its account deletes: it is deleted, or a job under way needs it. */
export type UploadDeletion = { readonly deleted: DueUpload } | { readonly neededBy: string };

/** Deleted uploads in D1: for their account they are gone, and their rows stay until nobody can write to them any more. */
export class DeletedUploads {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Deletes an account's upload, and has it looked at from `now` (epoch ms) on, unless a job under way needs it. The statement
   * decides: a job that is listed at the same moment either comes before, or finds the upload deleted. An unused upload counts
   * as one until its URL has expired: until then it may be written again.
   * @returns null if the account has no such upload.
   */
  async mark(accountId: string, taskId: string, now: number): Promise<UploadDeletion | null> {
    const own = "task_id = ?2 AND +account_id = ?1 AND deleted_at IS NULL";
    const quoted = JSON.stringify(taskId);
    const [marked, refused] = await this.#db.batch<{
      content_type: string;
      created_at: number;
      needed_by: string;
    }>([
      this.#db
        .prepare(
          `UPDATE uploads SET deleted_at = ?4, unused = iif(created_at <= ?5, 0, unused), inspect_at = ?4
           WHERE ${own} AND NOT EXISTS (${NEEDED_BY}) RETURNING content_type, created_at`,
        )
        .bind(accountId, taskId, quoted, now, expiredPresign(now)),
      this.#db
        .prepare(`SELECT (${NEEDED_BY}) AS needed_by FROM uploads WHERE ${own}`)
        .bind(accountId, taskId, quoted),
    ]);
    const [row] = marked?.results ?? [];
    if (row !== undefined) {
      const { content_type: contentType, created_at: presignedAt } = row;
      return { deleted: { taskId, accountId, contentType, presignedAt, inspectAt: now, isDeleted: true } };
    }
    const [still] = refused?.results ?? [];
    return still === undefined ? null : { neededBy: still.needed_by };
  }
}
