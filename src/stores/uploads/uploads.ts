import {
  DAY_HOURS,
  KEPT_PER_LIVE,
  type UploadBudget,
  type UploadHour,
  type UploadUse,
} from "../../core/accounts/budgets.ts";
import type { RecordedUpload } from "../../core/jobs/admission.ts";
import { expiredPresign, nextInspection } from "../../core/uploads/inspection.ts";
import type { AccountUse } from "../../core/billing/ledger.ts";
import { ACCOUNT_USE, accountUseOf, type AccountUseRow } from "../billing/ledger.ts";

/** What createJob has to know before it accepts a job: one round trip reads it. */
export interface JobPreconditions {
  /** Those of the requested uploads that the account owns. */
  readonly uploads: readonly RecordedUpload[];
  readonly use: AccountUse;
}

/** An upload to look at; times are epoch milliseconds. */
export interface DueUpload extends RecordedUpload {
  readonly accountId: string;
  readonly presignedAt: number;
  readonly inspectAt: number;
  /** Whether its account has deleted it. */
  readonly isDeleted: boolean;
}

/** What was there of an upload (0 bytes if nothing), and when to look again. */
export interface Look {
  readonly taskId: string;
  readonly size: number;
  readonly inspectAt: number | null;
}

interface PreconditionRow extends AccountUseRow {
  task_id: string | null;
  content_type: string | null;
}

const HOUR_MS = 3_600_000;

/** How many uploads of the account ?1 no job has used. */
const UNUSED = "SELECT count(*) AS unused FROM uploads WHERE account_id = ?1 AND unused = 1";
/** The day of the account ?1 at the epoch hour ?2: the hour's 24 predecessors and what has passed of the hour itself. */
const OF_THE_DAY = `FROM upload_bytes WHERE account_id = ?1 AND hour >= ?2 - ${DAY_HOURS}`;

const hourOf = (time: number): number => Math.floor(time / HOUR_MS);

/**
 * Marks a job's uploads as used, if the job is listed. A job that is withdrawn after all leaves them so: another one may
 * have used them meanwhile. The pluses keep the index of all the account's uploads out of it: the ids name the rows.
 */
export const markUsed = (
  db: D1Database,
  job: { readonly jobId: string; readonly accountId: string; readonly taskIds: readonly string[] },
): D1PreparedStatement =>
  db
    .prepare(
      `UPDATE uploads SET unused = 0
       WHERE task_id IN (SELECT value FROM json_each(?3)) AND +account_id = ?2 AND +unused = 1
         AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1)`,
    )
    .bind(job.jobId, job.accountId, JSON.stringify(job.taskIds));

/** Presigned uploads in D1. */
export class Uploads {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Records that an account may upload this task's bytes, unless it has used up its budget. The statement decides, so that
   * of many at once no more are recorded than fit.
   * @returns whether the upload is recorded.
   */
  async insert(
    accountId: string,
    upload: RecordedUpload,
    { maxUnused, maxDailyBytes }: UploadBudget,
    now: number,
  ): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO uploads (task_id, account_id, content_type, created_at, unused, inspect_at)
         SELECT ?3, ?1, ?4, ?5, 1, ?8
         WHERE (${UNUSED}) < ?6
           AND (SELECT coalesce(sum(bytes), 0) < ?7 AND coalesce(sum(deleted), 0) < ?9 ${OF_THE_DAY})`,
      )
      .bind(
        accountId,
        hourOf(now),
        upload.taskId,
        upload.contentType,
        now,
        maxUnused,
        maxDailyBytes,
        nextInspection(now, now),
        maxUnused * KEPT_PER_LIVE,
      )
      .run();
    return meta.changes === 1;
  }

  /** What an account has used of its budget. */
  async use(accountId: string, now: number): Promise<UploadUse> {
    const [unused, hours] = await this.#db.batch<{ unused: number } & UploadHour>([
      this.#db.prepare(UNUSED).bind(accountId),
      this.#db.prepare(`SELECT hour, bytes, deleted ${OF_THE_DAY}`).bind(accountId, hourOf(now)),
    ]);
    const [row] = unused?.results ?? [];
    if (row === undefined || hours === undefined) throw new Error("a count gave no row");
    return { unused: row.unused, hours: hours.results };
  }

  /**
   * The account's uploads among `taskIds` that are young enough, and its use. One bound list, because D1 takes 100
   * parameters. The plus has the ids name the rows, and not the index of all the account's uploads.
   * @param usableSince how young an upload has to be (epoch ms) that no job has used, and one that a job has
   */
  async preconditions(
    accountId: string,
    taskIds: readonly string[],
    usableSince: { readonly unused: number; readonly used: number },
  ): Promise<JobPreconditions> {
    const { results } = await this.#db
      .prepare(
        `SELECT account.*, owned.task_id, owned.content_type
         FROM (${ACCOUNT_USE}) AS account
         LEFT JOIN (SELECT u.task_id, u.content_type FROM json_each(?2) AS asked
                    JOIN uploads u ON u.task_id = asked.value AND +u.account_id = ?1 AND u.deleted_at IS NULL
                      AND u.created_at > iif(u.unused, ?3, ?4)) AS owned`,
      )
      .bind(accountId, JSON.stringify(taskIds), usableSince.unused, usableSince.used)
      .all<PreconditionRow>();
    const [first] = results;
    if (first === undefined) throw new Error("a count gave no row");
    const uploads = results.flatMap(({ task_id: taskId, content_type: contentType }) =>
      taskId === null || contentType === null ? [] : [{ taskId, contentType }],
    );
    return { uploads, use: accountUseOf(first) };
  }

  /** Uploads whose look is due at `now` (epoch ms), the longest due first. */
  async dueForInspection(now: number, limit: number): Promise<DueUpload[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT task_id, account_id, content_type, created_at, inspect_at, deleted_at FROM uploads
         WHERE inspect_at <= ?1 ORDER BY inspect_at LIMIT ?2`,
      )
      .bind(now, limit)
      .all<{
        task_id: string;
        account_id: string;
        content_type: string;
        created_at: number;
        inspect_at: number;
        deleted_at: number | null;
      }>();
    return results.map((row) => ({
      taskId: row.task_id,
      accountId: row.account_id,
      contentType: row.content_type,
      presignedAt: row.created_at,
      inspectAt: row.inspect_at,
      isDeleted: row.deleted_at !== null,
    }));
  }

  /**
   * Notes what was there of uploads at `now` (epoch ms). A size that grew adds to the bytes of the account's day, by a trigger. A
   * deleted upload whose URL has expired no longer counts as unused.
   */
  async noteInspections(looks: readonly Look[], now: number): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE uploads SET size = max(coalesce(size, 0), seen.value ->> 'size'), inspect_at = seen.value ->> 'inspectAt',
           unused = iif(deleted_at IS NOT NULL AND created_at <= ?2, 0, unused)
         FROM json_each(?1) AS seen WHERE task_id = seen.value ->> 'taskId'`,
      )
      .bind(JSON.stringify(looks), expiredPresign(now))
      .run();
  }

  /** Notes an upload's size, as an inspection does, and leaves its next look as it is. */
  async noteSize(taskId: string, size: number): Promise<void> {
    await this.#db
      .prepare("UPDATE uploads SET size = max(coalesce(size, 0), ?2) WHERE task_id = ?1")
      .bind(taskId, size)
      .run();
  }

  /** Forgets up to `limit` sums of bytes of hours that are over for a day. Returns how many. */
  async purgeBytes(now: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        `DELETE FROM upload_bytes WHERE (account_id, hour) IN
           (SELECT account_id, hour FROM upload_bytes WHERE hour < ?1 LIMIT ?2)`,
      )
      .bind(hourOf(now) - DAY_HOURS, limit)
      .run();
    return meta.changes;
  }

  /** Uploads presigned before `before` (epoch ms), oldest first; with `unusedOnly` those that no job has used. */
  async olderThan(
    before: number,
    limit: number,
    unusedOnly = false,
  ): Promise<{ taskId: string; accountId: string }[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT task_id, account_id FROM uploads WHERE created_at < ?1 ${unusedOnly ? "AND unused = 1" : ""}
         ORDER BY created_at LIMIT ?2`,
      )
      .bind(before, limit)
      .all<{ task_id: string; account_id: string }>();
    return results.map((row) => ({ taskId: row.task_id, accountId: row.account_id }));
  }

  /** Forgets uploads. */
  async delete(taskIds: readonly string[]): Promise<void> {
    await this.#db
      .prepare("DELETE FROM uploads WHERE task_id IN (SELECT value FROM json_each(?1))")
      .bind(JSON.stringify(taskIds))
      .run();
  }
}
