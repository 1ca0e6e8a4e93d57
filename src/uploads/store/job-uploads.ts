import type { AccountUse } from "../../billing/rules/ledger.ts";
import { accountUseOf, type AccountUseRow } from "../../billing/store/ledger.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";
import { present } from "../../shared/storage/d1-store.ts";
import type { InspectedUpload, RecordedUpload } from "../rules/upload.ts";

/** An upload that an account may name in a job; `refined` counts the free jobs that have refined masks of it. */
interface OwnUpload extends InspectedUpload {
  readonly refined: number;
}

/** The data that createJob needs before it accepts a job, from one round trip. */
export interface JobPreconditions {
  /** The requested uploads that the account owns. */
  readonly uploads: readonly OwnUpload[];
  readonly use: AccountUse;
  /** The trial lane's open tasks in this database; zero without a query for it. */
  readonly openTrialTasks: number;
}

/** A row of the account's use and the trial lane, or of an upload. */
interface PreconditionRow extends AccountUseRow, RecordedUpload {
  open_trial_tasks: number;
  size: number | null;
  etag: string | null;
  media: string | null;
  refined: number;
}

/** Returns the columns of an inspected object. */
export const columnsOf = ({ etag, media }: StoredUpload) => ({
  etag,
  media: media === null ? "" : `${media.type}/${media.format}`,
});

/** Returns the same columns as a StoredUpload. */
function seenOf({ size, etag, media }: PreconditionRow): StoredUpload | null {
  if (size === null || etag === null || media === null) return null;
  const [type, format] = media.split("/");
  const isKnown = (type === "image" || type === "video") && format !== undefined;
  return { size, etag, media: isKnown ? { type, format } : null };
}

/** Reads the results of `Uploads.preconditions`. */
export function preconditionsOf([account, owned]: readonly D1Result<PreconditionRow>[]): JobPreconditions {
  const row = present(account?.results[0]);
  const uploads = present(owned).results.map((upload) => ({
    taskId: upload.taskId,
    contentType: upload.contentType,
    seen: seenOf(upload),
    refined: upload.refined,
  }));
  return { uploads, use: accountUseOf(row), openTrialTasks: row.open_trial_tasks };
}

/**
 * Marks a job's uploads as used, if the job is listed, and keeps the inspected objects: the next job need not inspect them, and
 * the inference service refuses other bytes. A smaller file than an earlier one of the upload is inspected each time, because the
 * row has the size of the largest. Withdrawing the job does not undo this: another job may have used them meanwhile. The pluses
 * keep SQLite from using the index of all the account's uploads: the ids select the rows.
 * @param seen the bucket's record of each of the job's uploads, in their order
 */
export const markUsed = (
  db: D1Database,
  job: { readonly jobId: string; readonly accountId: string; readonly taskIds: readonly string[] },
  seen: readonly StoredUpload[] = [],
): D1PreparedStatement =>
  db
    .prepare(
      `UPDATE uploads SET unused = 0,
         etag = iif(seen.value ->> 'size' >= coalesce(size, 0), seen.value ->> 'etag', NULL), media = seen.value ->> 'media'
       FROM json_each(?3) AS seen
       WHERE task_id = seen.value ->> 'taskId' AND +account_id = ?2
         AND (+unused = 1 OR etag IS NOT seen.value ->> 'etag') AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1)`,
    )
    .bind(
      job.jobId,
      job.accountId,
      JSON.stringify(
        job.taskIds.map((taskId, i) => {
          const upload = seen[i];
          return { taskId, ...(upload && { size: upload.size, ...columnsOf(upload) }) };
        }),
      ),
    );

/**
 * SQL for true if any upload of an array of ids (an SQL expression of JSON) is deleted. The unary plus keeps SQLite from using an
 * index on that column: the ids select the rows.
 */
export const anyDeleted = (taskIds: string): string =>
  `EXISTS (SELECT 1 FROM uploads
           WHERE task_id IN (SELECT value FROM json_each(${taskIds})) AND +deleted_at IS NOT NULL)`;

/** SQL for true if free jobs have refined any upload of an array of ids `times` times: both are SQL expressions. */
export const anyRefined = (taskIds: string, times: string): string =>
  `EXISTS (SELECT 1 FROM uploads
           WHERE task_id IN (SELECT value FROM json_each(${taskIds})) AND +refined >= ${times})`;
