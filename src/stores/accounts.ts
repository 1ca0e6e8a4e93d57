import type { Plan } from "../core/access.ts";

/** An account as the rules see it. */
export interface Account {
  readonly accountId: string;
  readonly plan: Plan;
}

interface KeyRow {
  id: string;
  plan: Plan;
}

/** Accounts and their API keys in D1. */
export class Accounts {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The active account of a key that is not revoked, by the key's digest: one indexed read. */
  async findByKeyDigest(digest: string): Promise<Account | null> {
    const row = await this.#db
      .prepare(
        `SELECT a.id, a.plan FROM api_keys k JOIN accounts a ON a.id = k.account_id
         WHERE k.digest = ?1 AND k.revoked_at IS NULL AND a.status = 'active'`,
      )
      .bind(digest)
      .first<KeyRow>();
    return row === null ? null : { accountId: row.id, plan: row.plan };
  }
}
