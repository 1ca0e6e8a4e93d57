import { D1Store, atHome } from "../../shared/storage/d1-store.ts";

/** A result shared by a link; times are epoch milliseconds. */
export interface ShareRecord {
  readonly jobId: string;
  /** Further jobs of the same uploads. */
  readonly further: readonly string[];
  /** The uploads that are shown themselves. */
  readonly inputs: readonly string[];
  /** True if the link shows the job's annotations. */
  readonly showAnnotations: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
}

type ShareRow = Omit<ShareRecord, "further" | "inputs" | "showAnnotations"> & {
  readonly further: string;
  readonly inputs: string;
  readonly annotations: number;
};

const RECORD = `job_id AS jobId, further, inputs, annotations, created_at AS createdAt, expires_at AS expiresAt`;

const recordOf = ({ further, inputs, annotations, ...row }: ShareRow): ShareRecord => ({
  ...row,
  showAnnotations: annotations === 1,
  further: JSON.parse(further),
  inputs: JSON.parse(inputs),
});

/** FROM clause for the shares of the account ?1 that have not ended at ?2: a share ends with its job. */
const LIVE = `shares WHERE account_id = ?1 AND expires_at > ?2 AND EXISTS (SELECT 1 FROM jobs WHERE id = job_id)`;

/** Up to ?2 shares that ended before ?1, but for those of accounts that are being moved. */
const ENDED = `expires_at < ?1 AND ${atHome()} LIMIT ?2`;

/** An account's shares in D1. Adds the digest of a link's token to the directory; only its undo removes it. */
export class Shares extends D1Store {
  /** Lists the account's shares at `now`, newest first. */
  async list(accountId: string, now: number): Promise<ShareRecord[]> {
    const rows = await this.all<ShareRow>(
      `SELECT ${RECORD} FROM ${LIVE} ORDER BY created_at DESC, job_id DESC`,
      [accountId, now],
    );
    return rows.map(recordOf);
  }

  /**
   * The share of one job, with those of its uploads that are still there; null if the job is not shared at `now`.
   * @param digest finds only the share whose token has this digest: a link may show a job that has another link
   */
  async find(accountId: string, jobId: string, now: number, digest?: string): Promise<ShareRecord | null> {
    const row = await this.first<ShareRow & { readonly there: string }>(
      `SELECT ${RECORD}, (SELECT json_group_array(value) FROM json_each(inputs) WHERE value IN (
         SELECT task_id FROM uploads WHERE task_id = value AND account_id = ?1 AND deleted_at IS NULL)) AS there
       FROM ${LIVE} AND job_id = ?3 AND digest = coalesce(?4, digest)`,
      [accountId, now, jobId, digest ?? null],
    );
    if (row === null) return null;
    const { there, ...share } = row;
    return { ...recordOf(share), inputs: JSON.parse(there) };
  }

  /**
   * Shares a job; a share that it has is replaced. The statement decides whether the account has fewer than `most` of other jobs,
   * so that concurrent requests cannot exceed them together.
   * @returns whether it did, and the digest of the share before, if there was one
   */
  async put(
    accountId: string,
    share: ShareRecord,
    digest: string,
    most: number,
  ): Promise<{ isShared: boolean; before: string | null }> {
    const { jobId, further, inputs, showAnnotations, createdAt, expiresAt } = share;
    const [before, put] = await this.db.batch<{ digest: string }>([
      this.statement("SELECT digest FROM shares WHERE account_id = ?1 AND job_id = ?2", [accountId, jobId]),
      this.statement(
        `INSERT INTO shares (account_id, created_at, job_id, digest, further, inputs, expires_at, annotations)
         SELECT :accountId, :createdAt, :jobId, :digest, :further, :inputs, :expiresAt, :annotations
         WHERE (SELECT count(*) FROM ${LIVE} AND job_id <> :jobId) < :most
         ON CONFLICT (job_id) DO UPDATE SET digest = excluded.digest, further = excluded.further, inputs = excluded.inputs,
           annotations = excluded.annotations, created_at = excluded.created_at, expires_at = excluded.expires_at`,
        {
          accountId,
          createdAt,
          jobId,
          digest,
          further: JSON.stringify(further),
          inputs: JSON.stringify(inputs),
          expiresAt,
          annotations: Number(showAnnotations),
          most,
        },
      ),
    ]);
    return { isShared: put?.meta.changes === 1, before: before?.results[0]?.digest ?? null };
  }

  /** Ends a job's share. Returns its digest; null if the job was not shared at `now`. */
  async revoke(accountId: string, jobId: string, now: number): Promise<string | null> {
    const row = await this.first<{ digest: string }>(
      `DELETE FROM shares WHERE job_id = ?3 AND job_id IN (SELECT job_id FROM ${LIVE}) RETURNING digest`,
      [accountId, now, jobId],
    );
    return row?.digest ?? null;
  }

  /** The digests of up to `limit` shares that ended before `before` (epoch ms), which `purge` deletes. */
  endedDigests(before: number, limit: number): Promise<string[]> {
    return this.values(`SELECT digest FROM shares WHERE ${ENDED}`, [before, limit]);
  }

  /** Deletes up to `limit` shares that ended before `before` (epoch ms). Returns how many. */
  purge(before: number, limit: number): Promise<number> {
    return this.deleteSome("shares", "job_id", ENDED, [before, limit]);
  }
}
