import { type ApiKeyUse, KEPT_PER_LIVE } from "../../core/accounts/budgets.ts";

/** What may be shown of a key; times are epoch milliseconds. */
export interface ApiKeyRecord {
  readonly keyId: string;
  readonly label: string;
  readonly prefix: string;
  readonly revokedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface ApiKeyRow {
  id: string;
  label: string;
  prefix: string;
  revoked_at: number | null;
  created_at: number;
  updated_at: number;
}

const SHOWN = "id, label, prefix, revoked_at, created_at, updated_at";

/** One row, an ApiKeyUse, for the account ?1. */
const KEY_USE = `
  SELECT count(*) AS kept, count(*) FILTER (WHERE revoked_at IS NULL) AS live FROM api_keys WHERE account_id = ?1`;

const recordOf = (row: ApiKeyRow): ApiKeyRecord => ({
  keyId: row.id,
  label: row.label,
  prefix: row.prefix,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** An account's API keys in D1. A secret's digest goes in; neither secret nor digest comes out. */
export class ApiKeys {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The account's keys, newest first, including revoked ones. */
  async list(accountId: string): Promise<ApiKeyRecord[]> {
    const { results } = await this.#db
      .prepare(`SELECT ${SHOWN} FROM api_keys WHERE account_id = ?1 ORDER BY id DESC`)
      .bind(accountId)
      .all<ApiKeyRow>();
    return results.map(recordOf);
  }

  /** One key of the account; null if it has none with this id. */
  async find(accountId: string, keyId: string): Promise<ApiKeyRecord | null> {
    const row = await this.#db
      .prepare(`SELECT ${SHOWN} FROM api_keys WHERE account_id = ?1 AND id = ?2`)
      .bind(accountId, keyId)
      .first<ApiKeyRow>();
    return row && recordOf(row);
  }

  /**
   * Adds a key, unless the account has `maxLive` that are not revoked, or too many on record. The statement decides, so
   * that of many at once no more are added than fit. A key of this id that exists already stays as it is.
   * @returns whether the key was added.
   */
  async insert(accountId: string, key: ApiKeyRecord, digest: string, maxLive: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
         SELECT ?2, ?1, ?3, ?4, ?5, ?6, ?6 FROM (${KEY_USE}) WHERE live < ?7 AND kept < ?8
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(
        accountId,
        key.keyId,
        key.label,
        key.prefix,
        digest,
        key.createdAt,
        maxLive,
        maxLive * KEPT_PER_LIVE,
      )
      .run();
    return meta.changes === 1;
  }

  /** How many keys an account has. */
  async use(accountId: string): Promise<ApiKeyUse> {
    const row = await this.#db.prepare(KEY_USE).bind(accountId).first<ApiKeyUse>();
    if (row === null) throw new Error("a count gave no row");
    return row;
  }

  /** Revokes a key at `now` unless it is revoked already. Returns the key as it is then, or null if there is none. */
  async revoke(accountId: string, keyId: string, now: number): Promise<ApiKeyRecord | null> {
    const row = await this.#db
      .prepare(
        `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3),
           updated_at = CASE WHEN revoked_at IS NULL THEN ?3 ELSE updated_at END
         WHERE account_id = ?1 AND id = ?2 RETURNING ${SHOWN}`,
      )
      .bind(accountId, keyId, now)
      .first<ApiKeyRow>();
    return row && recordOf(row);
  }

  /** Forgets up to `limit` keys that were revoked before `before` (epoch ms). Returns how many. */
  async purgeRevoked(before: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        "DELETE FROM api_keys WHERE rowid IN (SELECT rowid FROM api_keys WHERE revoked_at < ?1 LIMIT ?2)",
      )
      .bind(before, limit)
      .run();
    return meta.changes;
  }
}
