import { D1Store } from "../../shared/storage/d1-store.ts";

/** The operation in the row of a picture that a tool has sent or named: no operation of the API has this name. */
const PICTURE = "bridgePicture";

/** A job created for a request, perhaps not completely. */
export interface RecalledJob {
  readonly jobId: string;
  readonly createdAt: number;
  /** Its status in the list; null if the job is no longer listed. */
  readonly status: string | null;
}

/** The job and uploads of an earlier request of a tool. */
export interface Recalled {
  readonly job: RecalledJob | null;
  /** The remaining uploads of the request's pictures, by the pictures' keys. */
  readonly uploads: ReadonlyMap<string, string>;
}

interface Row {
  readonly key: string;
  readonly effectId: string;
  readonly createdAt: number;
  readonly status: string | null;
  readonly isJob: number;
}

/** The requests of tools that have no jobs, in D1: rows of idempotency_keys, by which createJob recognizes its repetitions. */
export class RepeatedRequests extends D1Store {
  /** Recalls an earlier request: the job of its Idempotency-Key, and the uploads of its pictures since a time. */
  async recall(
    accountId: string,
    jobKey: string,
    pictureKeys: readonly string[],
    since: number,
  ): Promise<Recalled> {
    const rows = await this.all<Row>(
      `SELECT k.key, k.effect_id AS effectId, k.created_at AS createdAt, j.status, 1 AS isJob
       FROM idempotency_keys k LEFT JOIN jobs j ON j.id = k.effect_id
       WHERE k.account_id = ?1 AND k.operation = 'createJob' AND k.key = ?2 AND k.answer IS NOT NULL
       UNION ALL
       SELECT k.key, k.effect_id, k.created_at, NULL, 0
       FROM json_each(?3) named
       JOIN idempotency_keys k ON k.account_id = ?1 AND k.operation = ?5 AND k.key = named.value
       JOIN uploads u ON u.task_id = k.effect_id AND u.deleted_at IS NULL
       WHERE k.created_at > ?4`,
      [accountId, jobKey, JSON.stringify(pictureKeys), since, PICTURE],
    );
    const job = rows.find(({ isJob }) => isJob === 1);
    const uploads = new Map(
      rows.flatMap(({ isJob, key, effectId }) => (isJob === 1 ? [] : [[key, effectId]])),
    );
    if (job === undefined) return { job: null, uploads };
    const { effectId: jobId, createdAt, status } = job;
    return { job: { jobId, createdAt, status }, uploads };
  }

  /** Remembers the upload of a picture. */
  async keep(accountId: string, pictureKey: string, taskId: string, now: number): Promise<void> {
    await this.run(
      `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, effect_id, lease, lease_until, answer, created_at)
       VALUES (?1, ?2, ?3, '', ?4, '', 0, '', ?5)
       ON CONFLICT (account_id, operation, key) DO UPDATE SET effect_id = excluded.effect_id, created_at = excluded.created_at`,
      [accountId, PICTURE, pictureKey, taskId, now],
    );
  }

  /** Forgets the job of a request, or a run that was interrupted before it created one. The request can then run again. */
  async forget(accountId: string, jobKey: string, jobId: string | null, now: number): Promise<void> {
    await this.run(
      `DELETE FROM idempotency_keys WHERE account_id = ?1 AND operation = 'createJob' AND key = ?2
         AND (effect_id = ?3 OR answer IS NULL AND lease_until <= ?4)`,
      [accountId, jobKey, jobId, now],
    );
  }
}
