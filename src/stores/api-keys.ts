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

  /** Adds a key; false if there is one with this id already, which stays as it is. */
  async insert(accountId: string, key: ApiKeyRecord, digest: string): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (id) DO NOTHING`,
      )
      .bind(key.keyId, accountId, key.label, key.prefix, digest, key.createdAt)
      .run();
    return meta.changes === 1;
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
}
