import { expiredPresign } from "../rules/lifetime.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";
import type { DueUpload } from "./uploads.ts";

/** An unfinished job of the account ?1 that needs the upload whose quoted id is ?3. */
const NEEDED_BY = `SELECT id FROM jobs
  WHERE account_id = ?1 AND status IN ('queued', 'processing') AND instr(task_ids, ?3) > 0
  LIMIT 1`;

/** The result of deleting an upload: it is deleted, or an unfinished job needs it. */
export type UploadDeletion = { readonly deleted: Omit<DueUpload, "size"> } | { readonly neededBy: string };

/** Deleted uploads in D1: gone for their account; their rows stay until no client can write to them any more. */
export class DeletedUploads extends D1Store {
  /**
   * Deletes an account's upload and makes it due for inspection at `now` (epoch ms), unless an unfinished job needs it. The
   * statement decides: a job listed concurrently either comes first, or finds the upload deleted. An unused upload counts
   * as unused until its URL has expired: until then it may be written again.
   * @returns null if the account has no such upload.
   */
  async mark(accountId: string, taskId: string, now: number): Promise<UploadDeletion | null> {
    const own = "task_id = ?2 AND +account_id = ?1 AND deleted_at IS NULL";
    const ids = [accountId, taskId, JSON.stringify(taskId)] as const;
    // A separate read: checking a thousand jobs costs as much as the rest, and a refusal does it once.
    const known = await this.first<{ neededBy: string | null }>(
      `SELECT (${NEEDED_BY}) AS neededBy FROM uploads WHERE ${own}`,
      ids,
    );
    if (known === null) return null;
    if (known.neededBy !== null) return { neededBy: known.neededBy };
    const row = await this.first<Pick<DueUpload, "contentType" | "presignedAt" | "multipartId">>(
      `UPDATE uploads SET deleted_at = ?4, unused = iif(created_at <= ?5, 0, unused), inspect_at = ?4
       WHERE ${own} AND NOT EXISTS (${NEEDED_BY}) RETURNING content_type AS contentType, created_at AS presignedAt, multipart_id AS multipartId`,
      [...ids, now, expiredPresign(now)],
    );
    // A job listed in between needs it, or another request has deleted it.
    if (row === null) return this.mark(accountId, taskId, now);
    return { deleted: { ...row, taskId, accountId, inspectAt: now, isDeleted: true } };
  }

  /** Returns true if a job is listed and has not ended. */
  async isUnderWay(jobId: string): Promise<boolean> {
    const sql = "SELECT id FROM jobs WHERE id = ?1 AND status IN ('queued', 'processing')";
    return (await this.first(sql, [jobId])) !== null;
  }
}
