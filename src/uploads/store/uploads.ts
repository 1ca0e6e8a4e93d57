import {
  DAY_HOURS,
  fitsBelow,
  KEPT_PER_LIVE,
  type UploadBudget,
  type UploadHour,
  type UploadUse,
} from "../../accounts/rules/budgets.ts";
import type { RecordedUpload } from "../rules/upload.ts";
import type { StoredInput } from "../rules/bucket-event.ts";
import { expiredPresign, nextInspection } from "../rules/lifetime.ts";
import { dayOf } from "../../billing/rules/usage.ts";
import { ACCOUNT_USE } from "../../billing/store/ledger.ts";
import { type Batching, D1Store, present, type Query, atHome } from "../../shared/storage/d1-store.ts";
import { OPEN_TRIAL_TASKS } from "../../billing/store/trial-lane.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";
import { columnsOf, type JobPreconditions, preconditionsOf } from "./job-uploads.ts";

/** An upload that is due for inspection; times are epoch milliseconds. */
export interface DueUpload extends RecordedUpload {
  readonly accountId: string;
  readonly presignedAt: number;
  readonly inspectAt: number;
  /** The largest size seen; null if none is reported yet. */
  readonly size: number | null;
  /** True if its account has deleted it. */
  readonly isDeleted: boolean;
  readonly multipartId: MultipartId;
}

/** An upload to record; `size` is null if its URL takes a file of any size. */
export interface NewUpload extends RecordedUpload {
  readonly size: number | null;
  /** True for a multipart upload that has not begun. */
  readonly inParts?: boolean;
}

/** The bucket's id of a multipart upload: empty before it has begun, null if it is complete, or not multipart. */
type MultipartId = string | null;

/** An upload to delete from bucket and database. */
export interface OldUpload {
  readonly taskId: string;
  readonly accountId: string;
  readonly multipartId: MultipartId;
}

/**
 * The result of an inspection: the upload's size (0 if there is no object), the object if it is kept, and the time of the next
 * inspection.
 */
export interface Inspection {
  readonly taskId: string;
  readonly size: number;
  readonly seen: StoredUpload | null;
  readonly inspectAt: number | null;
}

/** An upload with a recorded event; `size` is the largest size seen. */
export interface NotedUpload extends RecordedUpload {
  readonly accountId: string;
  readonly size: number;
  readonly isDeleted: boolean;
}

const HOUR_MS = 3_600_000;

/** Number of the account ?1's uploads that no job has used. Triggers count them. */
const UNUSED =
  "SELECT coalesce((SELECT unused_uploads FROM account_counts WHERE account_id = ?1), 0) AS unused";
/** The last day of the account ?1 at the epoch hour ?2: the 24 hours before, and the current hour so far. */
const OF_THE_DAY = `FROM upload_bytes WHERE account_id = ?1 AND hour >= ?2 - ${DAY_HOURS}`;

const hourOf = (time: number): number => Math.floor(time / HOUR_MS);

/** Presigned uploads in D1. */
export class Uploads extends D1Store {
  /**
   * Records a new upload, unless its account has used up its budget. The statement decides, so that concurrent requests cannot
   * exceed the budget together. A known size counts at once (a trigger adds it to the account's bytes of the day), and the upload
   * needs no inspection.
   * @returns true if the upload is recorded.
   */
  async insert(
    accountId: string,
    { taskId, contentType, size, inParts = false }: NewUpload,
    budget: UploadBudget,
    now: number,
    preflight: Batching = this.db,
  ): Promise<boolean> {
    const { maxUnused } = budget;
    const insertion = this.statement(
      `INSERT INTO uploads (task_id, account_id, content_type, created_at, unused, inspect_at, size, multipart_id)
       SELECT :taskId, :accountId, :contentType, :now, 1, :inspectAt, :size, :multipartId
       WHERE (${UNUSED}) < :maxUnused
         AND (SELECT coalesce(sum(bytes), 0) < :maxBytes AND coalesce(sum(deleted), 0) < :maxDeleted ${OF_THE_DAY})`,
      {
        accountId,
        hour: hourOf(now),
        taskId,
        contentType,
        now,
        inspectAt: size === null ? nextInspection(now, now) : null,
        size,
        multipartId: inParts ? "" : null,
        maxUnused,
        maxBytes: fitsBelow(budget, size),
        maxDeleted: maxUnused * KEPT_PER_LIVE,
      },
    );
    const [added] = await preflight.batch([insertion]);
    // The trigger's row counts, too.
    return present(added).meta.changes > 0;
  }

  /** Returns these ids of the account's uploads, in their order, without deleted ones. For the plus, see `preconditions`. */
  async kept(accountId: string, taskIds: readonly string[]): Promise<string[]> {
    const kept = await this.values<string>(
      `SELECT u.task_id FROM json_each(?2) AS asked
       JOIN uploads u ON u.task_id = asked.value AND +u.account_id = ?1 AND u.deleted_at IS NULL`,
      [accountId, JSON.stringify(taskIds)],
    );
    return taskIds.filter((taskId) => kept.includes(taskId));
  }

  /** Returns the used part of an account's budget. */
  async use(accountId: string, now: number): Promise<UploadUse> {
    const [unused, hours] = await this.db.batch<{ unused: number } & UploadHour>([
      this.statement(UNUSED, [accountId]),
      this.statement(`SELECT hour, bytes, deleted ${OF_THE_DAY}`, [accountId, hourOf(now)]),
    ]);
    return { unused: present(unused?.results[0]).unused, hours: present(hours).results };
  }

  /**
   * Returns the account's uploads among `taskIds` that are recent enough, its use, and the open tasks of the trial lane. The ids
   * are one bound array, because D1 takes 100 parameters. The plus keeps SQLite from using the index of all the account's
   * uploads: the ids select the rows.
   * @param usableSince the earliest presign (epoch ms) of an unused upload, and of a used one
   */
  preconditions(
    accountId: string,
    taskIds: readonly string[],
    usableSince: { readonly unused: number; readonly used: number },
    isTrial: boolean,
  ): Query<JobPreconditions> {
    const statements = [
      this.statement(`SELECT *, iif(?2, ${OPEN_TRIAL_TASKS}, 0) AS open_trial_tasks FROM (${ACCOUNT_USE})`, [
        accountId,
        Number(isTrial),
      ]),
      this.statement(
        `SELECT u.task_id AS taskId, u.content_type AS contentType, u.size, u.etag, u.media, u.refined
         FROM json_each(?2) AS asked
         JOIN uploads u ON u.task_id = asked.value AND +u.account_id = ?1 AND u.deleted_at IS NULL
           AND u.created_at > iif(u.unused, ?3, ?4)`,
        [accountId, JSON.stringify(taskIds), usableSince.unused, usableSince.used],
      ),
    ];
    return { statements, read: preconditionsOf };
  }

  /** Returns the size and the multipart id of an account's upload; null if it has no such upload. */
  find(accountId: string, taskId: string): Promise<Pick<DueUpload, "size" | "multipartId"> | null> {
    return this.statement(
      `SELECT size, multipart_id AS multipartId FROM uploads
       WHERE task_id = ?2 AND +account_id = ?1 AND deleted_at IS NULL`,
      [accountId, taskId],
    ).first();
  }

  /** Records the bucket's id of a multipart upload that has begun, or with null its completion. */
  async noteMultipart(taskId: string, multipartId: MultipartId): Promise<void> {
    await this.run("UPDATE uploads SET multipart_id = ?2 WHERE task_id = ?1", [taskId, multipartId]);
  }

  /** Returns some of an account's incomplete multipart uploads. */
  unfinished(accountId: string, limit: number): Promise<OldUpload[]> {
    return this.all(
      `SELECT task_id AS taskId, account_id AS accountId, multipart_id AS multipartId FROM uploads
       WHERE account_id = ?1 AND multipart_id IS NOT NULL LIMIT ?2`,
      [accountId, limit],
    );
  }

  /** Uploads that are due for inspection at `now` (epoch ms), longest due first. */
  async dueForInspection(now: number, limit: number): Promise<DueUpload[]> {
    const rows = await this.all<Omit<DueUpload, "isDeleted"> & { isDeleted: number }>(
      `SELECT task_id AS taskId, account_id AS accountId, content_type AS contentType, created_at AS presignedAt,
         inspect_at AS inspectAt, size, deleted_at IS NOT NULL AS isDeleted, multipart_id AS multipartId
       FROM uploads WHERE inspect_at <= ?1 AND ${atHome()} ORDER BY inspect_at LIMIT ?2`,
      [now, limit],
    );
    return rows.map(({ isDeleted, ...row }) => Object.assign(row, { isDeleted: isDeleted === 1 }));
  }

  /**
   * Records inspections made at `now` (epoch ms). A trigger adds any growth in size to the account's bytes of the day. A deleted
   * upload whose URL has expired no longer counts as unused. Keeps the inspected object only if the upload's URL has expired:
   * until then other bytes may replace it. Does not keep it if an earlier file was larger: the row has that one's size.
   */
  async noteInspections(inspections: readonly Inspection[], now: number): Promise<void> {
    const rows = inspections.map(({ taskId, size, seen, inspectAt }) => {
      return { taskId, size, inspectAt, ...(seen && columnsOf(seen)) };
    });
    await this.run(
      `UPDATE uploads SET size = max(coalesce(size, 0), seen.value ->> 'size'), inspect_at = seen.value ->> 'inspectAt',
         etag = iif(created_at <= ?2 AND seen.value ->> 'size' >= coalesce(size, 0), seen.value ->> 'etag', NULL),
         media = seen.value ->> 'media',
         unused = iif(deleted_at IS NOT NULL AND created_at <= ?2, 0, unused)
       FROM json_each(?1) AS seen WHERE task_id = seen.value ->> 'taskId'`,
      [JSON.stringify(rows), expiredPresign(now)],
    );
  }

  /**
   * Records the sizes that the bucket's events report, so that these uploads need no inspection; a deleted one is inspected
   * nevertheless. Forgets the inspected object if the event is about other bytes. Does not otherwise change an upload whose size
   * was signed.
   * @param taken maximum bytes that every job takes: records and returns a larger upload each time
   */
  async noteStored(stored: readonly StoredInput[], taken: number): Promise<NotedUpload[]> {
    const rows = await this.all<Omit<NotedUpload, "isDeleted"> & { isDeleted: number }>(
      `UPDATE uploads SET size = max(coalesce(uploads.size, 0), seen.size),
         etag = iif(etag = seen.least AND etag = seen.most, etag, NULL), inspect_at = iif(deleted_at IS NULL, NULL, inspect_at)
       FROM (SELECT value ->> 'taskId' AS id, value ->> 'accountId' AS owner, max(value ->> 'size') AS size,
               min(value ->> 'etag') AS least, max(value ->> 'etag') AS most
             FROM json_each(?1) GROUP BY 1, 2) AS seen
       WHERE uploads.task_id = seen.id AND +uploads.account_id = seen.owner
         AND (inspect_at IS NOT NULL OR deleted_at IS NOT NULL OR NOT (etag = seen.least AND etag = seen.most)
           OR seen.size > min(coalesce(uploads.size, 0), ?2))
       RETURNING task_id AS taskId, account_id AS accountId, content_type AS contentType, size,
         deleted_at IS NOT NULL AS isDeleted`,
      [JSON.stringify(stored), taken],
    );
    return rows.map(({ isDeleted, ...row }) => Object.assign(row, { isDeleted: isDeleted === 1 }));
  }

  /** Forgets the inspected object of an upload: the next job inspects it again. */
  async forgetSeen(taskId: string): Promise<void> {
    await this.run("UPDATE uploads SET etag = NULL WHERE task_id = ?1", [taskId]);
  }

  /** Records an upload's size, as an inspection does, without changing the time of its next inspection. */
  async noteSize(taskId: string, size: number): Promise<void> {
    await this.run("UPDATE uploads SET size = max(coalesce(size, 0), ?2) WHERE task_id = ?1", [taskId, size]);
  }

  /** Adds to the number of today's inspections for refused jobs of an account. */
  async noteRefusedInspections(accountId: string, inspections: number, now: number): Promise<void> {
    await this.run(
      `INSERT INTO refused_inspections (account_id, day, inspections)
       SELECT id, ?2, ?3 FROM accounts WHERE id = ?1 AND erasing_at IS NULL
       ON CONFLICT (account_id) DO UPDATE SET
         inspections = iif(day = excluded.day, inspections, 0) + excluded.inspections, day = excluded.day`,
      [accountId, dayOf(now), inspections],
    );
  }

  /** Deletes up to `limit` hourly sums of bytes that are more than a day old. Returns how many. */
  purgeBytes(now: number, limit: number): Promise<number> {
    const values = [hourOf(now) - DAY_HOURS, limit];
    return this.deleteSome("upload_bytes", "account_id, hour", "hour < ?1 LIMIT ?2", values);
  }

  /** Uploads presigned before `before` (epoch ms), oldest first; with `unusedOnly` those that no job has used. */
  olderThan(before: number, limit: number, unusedOnly = false): Promise<OldUpload[]> {
    return this.all(
      `SELECT task_id AS taskId, account_id AS accountId, multipart_id AS multipartId FROM uploads
       WHERE created_at < ?1 ${unusedOnly ? "AND unused = 1" : ""} ORDER BY created_at LIMIT ?2`,
      [before, limit],
    );
  }

  async delete(taskIds: readonly string[]): Promise<void> {
    await this.deletion("uploads", "task_id", taskIds).run();
  }
}
