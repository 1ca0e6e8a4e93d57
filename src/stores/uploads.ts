import type { RecordedUpload } from "../core/admission.ts";
import type { AccountUse } from "../core/ledger.ts";
import { ACCOUNT_USE, accountUseOf, type AccountUseRow } from "./ledger.ts";

/** What createJob has to know before it accepts a job: one round trip reads it. */
export interface JobPreconditions {
  /** Those of the requested uploads that the account owns. */
  readonly uploads: readonly RecordedUpload[];
  readonly use: AccountUse;
}

interface PreconditionRow extends AccountUseRow {
  task_id: string | null;
  content_type: string | null;
}

/** Presigned uploads in D1. */
export class Uploads {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Records that an account may upload this task's bytes. */
  async insert(accountId: string, upload: RecordedUpload, now: number): Promise<void> {
    await this.#db
      .prepare("INSERT INTO uploads (task_id, account_id, content_type, created_at) VALUES (?1, ?2, ?3, ?4)")
      .bind(upload.taskId, accountId, upload.contentType, now)
      .run();
  }

  /** The account's uploads among `taskIds`, and its use. One bound list, because D1 takes 100 parameters. */
  async preconditions(accountId: string, taskIds: readonly string[]): Promise<JobPreconditions> {
    const { results } = await this.#db
      .prepare(
        `SELECT account.*, owned.task_id, owned.content_type
         FROM (${ACCOUNT_USE}) AS account
         LEFT JOIN (SELECT u.task_id, u.content_type FROM json_each(?2) AS asked
                    JOIN uploads u ON u.task_id = asked.value AND u.account_id = ?1) AS owned`,
      )
      .bind(accountId, JSON.stringify(taskIds))
      .all<PreconditionRow>();
    const [first] = results;
    if (first === undefined) throw new Error("a count gave no row");
    const uploads = results.flatMap(({ task_id: taskId, content_type: contentType }) =>
      taskId === null || contentType === null ? [] : [{ taskId, contentType }],
    );
    return { uploads, use: accountUseOf(first) };
  }

  /** Uploads presigned before `before` (epoch ms), oldest first. */
  async olderThan(before: number, limit: number): Promise<{ taskId: string; accountId: string }[]> {
    const { results } = await this.#db
      .prepare("SELECT task_id, account_id FROM uploads WHERE created_at < ?1 ORDER BY created_at LIMIT ?2")
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
