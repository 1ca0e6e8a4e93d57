import { MARK_DELETED } from "../webhooks/endpoints.ts";

/** How far an erasure is; times are epoch milliseconds. */
export interface Erasure {
  readonly erasingAt: number;
  /** Null until nothing is left. */
  readonly erasedAt: number | null;
}

/** What the database still has of an account that is being erased. */
export interface Remains {
  readonly jobs: number;
  readonly uploads: number;
  /** Webhook endpoints whose objects may not be erased. */
  readonly endpoints: number;
  /** The customers at the payment provider, deleted there or not. */
  readonly customerIds: readonly string[];
}

/** The erasure of accounts, in D1. An account's row stays, without its person: the ledger names its id. */
export class Erasures {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Begins the erasure, or finds it begun: person and credentials are gone when this returns, and nothing is written for
   * the account any more. The person's identity is free: its next token creates a new account. It notes the try, too.
   * @returns null if there is no such account.
   */
  async begin(accountId: string, now: number): Promise<Erasure | null> {
    const statements = [
      `UPDATE accounts SET erasing_at = ?2, status = 'suspended', plan = 'blocked', email = '', email_verified = 0,
         name = NULL, image = NULL, issuer = NULL, subject = NULL, updated_at = ?2
       WHERE id = ?1 AND erasing_at IS NULL`,
      "UPDATE accounts SET erasure_tried_at = ?2 WHERE id = ?1",
      "DELETE FROM api_keys WHERE account_id = ?1 AND ?2",
      "DELETE FROM idempotency_keys WHERE account_id = ?1 AND ?2",
      "DELETE FROM upload_bytes WHERE account_id = ?1 AND ?2",
      "DELETE FROM daily_use WHERE account_id = ?1 AND ?2",
      "DELETE FROM trial_use WHERE account_id = ?1 AND ?2",
      "DELETE FROM settled_units WHERE account_id = ?1 AND ?2",
      "DELETE FROM usage_days WHERE account_id = ?1 AND ?2",
      "DELETE FROM billing_sessions WHERE account_id = ?1 AND ?2",
      `${MARK_DELETED} WHERE account_id = ?1 AND deleted_at IS NULL`,
      "SELECT erasing_at, erased_at FROM accounts WHERE id = ?1 AND ?2",
    ];
    const results = await this.#db.batch<{ erasing_at: number; erased_at: number | null }>(
      statements.map((statement) => this.#db.prepare(statement).bind(accountId, now)),
    );
    const row = results.at(-1)?.results[0];
    return row === undefined ? null : { erasingAt: row.erasing_at, erasedAt: row.erased_at };
  }

  /** Up to `limit` accounts whose erasure has begun and not ended, least recently tried first: one that can't end holds up no other. */
  async unfinished(limit: number): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id FROM accounts WHERE erasing_at IS NOT NULL AND erased_at IS NULL
         ORDER BY erasure_tried_at, erasing_at LIMIT ?1`,
      )
      .bind(limit)
      .all<{ id: string }>();
    return results.map(({ id }) => id);
  }

  /** Up to `limit` of the account's jobs that are listed or deleted, by their ids, after the id `after`. */
  async jobs(accountId: string, after: string, limit: number): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id FROM jobs WHERE account_id = ?1 AND id > ?2
         UNION ALL SELECT job_id FROM deleted_jobs WHERE account_id = ?1 AND job_id > ?2 ORDER BY id LIMIT ?3`,
      )
      .bind(accountId, after, limit)
      .all<{ id: string }>();
    return results.map(({ id }) => id);
  }

  /** Forgets up to `limit` of the account's uploads. Returns how many. */
  async forgetUploads(accountId: string, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        "DELETE FROM uploads WHERE rowid IN (SELECT rowid FROM uploads WHERE account_id = ?1 LIMIT ?2)",
      )
      .bind(accountId, limit)
      .run();
    return meta.changes;
  }

  /** The account's customer at the payment provider; null if it has none now. */
  async customer(accountId: string): Promise<string | null> {
    return this.#db
      .prepare("SELECT customer_id FROM billing WHERE account_id = ?1")
      .bind(accountId)
      .first<string>("customer_id");
  }

  /** What is left of an account. */
  async remains(accountId: string): Promise<Remains> {
    const row = await this.#db
      .prepare(
        `SELECT (SELECT count(*) FROM jobs WHERE account_id = ?1)
             + (SELECT count(*) FROM deleted_jobs WHERE account_id = ?1) AS jobs,
           (SELECT count(*) FROM uploads WHERE account_id = ?1) AS uploads,
           (SELECT count(*) FROM webhook_endpoints WHERE account_id = ?1) AS endpoints,
           (SELECT json_group_array(customer_id) FROM
              (SELECT customer_id FROM billing WHERE account_id = ?1
               UNION ALL SELECT customer_id FROM former_customers WHERE account_id = ?1)) AS customers`,
      )
      .bind(accountId)
      .first<Omit<Remains, "customerIds"> & { customers: string }>();
    if (row === null) throw new Error("a count gave no row");
    const { customers, ...counts } = row;
    return { ...counts, customerIds: JSON.parse(customers) };
  }

  /** Ends the erasure. */
  async finish(accountId: string, now: number): Promise<void> {
    await this.#db
      .prepare("UPDATE accounts SET erased_at = ?2, updated_at = ?2 WHERE id = ?1 AND erased_at IS NULL")
      .bind(accountId, now)
      .run();
  }
}
