import { type ApiKeyUse, KEPT_PER_LIVE } from "../rules/budgets.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

/** An API key without its secret; times are epoch milliseconds. */
export interface ApiKeyRecord {
  readonly keyId: string;
  readonly label: string;
  readonly prefix: string;
  readonly revokedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const RECORD = `id AS keyId, label, prefix, revoked_at AS revokedAt, created_at AS createdAt, updated_at AS updatedAt`;

/** One row, an ApiKeyUse, for the account ?1. */
const KEY_USE = `
  SELECT count(*) AS kept, count(*) FILTER (WHERE revoked_at IS NULL) AS live FROM api_keys WHERE account_id = ?1`;

/** An account's API keys in D1. A secret's digest goes in; neither secret nor digest comes out. */
export class ApiKeys extends D1Store {
  /** The account's keys, newest first, including revoked ones. */
  list(accountId: string): Promise<ApiKeyRecord[]> {
    return this.all(`SELECT ${RECORD} FROM api_keys WHERE account_id = ?1 ORDER BY id DESC`, [accountId]);
  }

  /** One key of the account; null if it has none with this id. */
  find(accountId: string, keyId: string): Promise<ApiKeyRecord | null> {
    return this.first(`SELECT ${RECORD} FROM api_keys WHERE account_id = ?1 AND id = ?2`, [accountId, keyId]);
  }

  /**
   * Adds a key, unless the account has `maxLive` unrevoked ones, or too many on record. The statement decides, so that concurrent
   * requests cannot exceed the limit together. Does not change an existing key with this id.
   * @returns whether the key was added.
   */
  async insert(accountId: string, key: ApiKeyRecord, digest: string, maxLive: number): Promise<boolean> {
    const added = await this.run(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
       SELECT :id, :account, :label, :prefix, :digest, :now, :now FROM (${KEY_USE}) WHERE live < :maxLive AND kept < :maxKept
       ON CONFLICT (id) DO NOTHING`,
      {
        account: accountId,
        id: key.keyId,
        label: key.label,
        prefix: key.prefix,
        digest,
        now: key.createdAt,
        maxLive,
        maxKept: maxLive * KEPT_PER_LIVE,
      },
    );
    return added === 1;
  }

  use(accountId: string): Promise<ApiKeyUse> {
    return this.one(KEY_USE, [accountId]);
  }

  /** Revokes a key at `now` unless it is revoked already. Returns the key after that, or null if there is none. */
  revoke(accountId: string, keyId: string, now: number): Promise<ApiKeyRecord | null> {
    return this.first(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3),
         updated_at = CASE WHEN revoked_at IS NULL THEN ?3 ELSE updated_at END
       WHERE account_id = ?1 AND id = ?2 RETURNING ${RECORD}`,
      [accountId, keyId, now],
    );
  }

  /** Returns the digests of up to `limit` keys revoked before `before` (epoch ms), which `purge` deletes. */
  endedDigests(before: number, limit: number): Promise<string[]> {
    return this.values("SELECT digest FROM api_keys WHERE revoked_at < ?1 LIMIT ?2", [before, limit]);
  }

  /** Deletes up to `limit` keys that were revoked before `before` (epoch ms). Returns how many. */
  purge(before: number, limit: number): Promise<number> {
    return this.deleteSome("api_keys", "rowid", "revoked_at < ?1 LIMIT ?2", [before, limit]);
  }
}
