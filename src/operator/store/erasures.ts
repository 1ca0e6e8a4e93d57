import { D1Store } from "../../shared/storage/d1-store.ts";
import { MARK_DELETED } from "../../webhooks/store/endpoints.ts";

/** The state of an erasure; times are epoch milliseconds. */
export interface Erasure {
  readonly erasingAt: number;
  /** Null until nothing is left. */
  readonly erasedAt: number | null;
}

/** The remaining data of an account that is being erased. */
export interface Remains {
  readonly jobs: number;
  readonly uploads: number;
  /** Webhook endpoints whose objects may still exist. */
  readonly endpoints: number;
  /** The customers at the payment provider, deleted there or not. */
  readonly customerIds: readonly string[];
}

/** The erasure of accounts, in D1. An account's row stays, without personal data: the ledger refers to its id. */
export class Erasures extends D1Store {
  /**
   * Starts the erasure, or finds it started, and records the attempt. Once it returns, personal data and credentials are gone,
   * and the account takes no more writes. The identity is free: its next token creates a new account.
   * @returns null if there is no such account.
   */
  async begin(accountId: string, now: number): Promise<Erasure | null> {
    const statements = [
      `UPDATE accounts SET erasing_at = ?2, status = 'suspended', plan = 'blocked', email = '', email_verified = 0,
         name = NULL, image = NULL, issuer = NULL, subject = NULL, updated_at = ?2
       WHERE id = ?1 AND erasing_at IS NULL`,
      "UPDATE accounts SET erasure_tried_at = ?2 WHERE id = ?1",
      ...[
        "api_keys",
        "shares",
        "idempotency_keys",
        "upload_bytes",
        "daily_use",
        "account_counts",
        "refused_inspections",
        "metered_use",
        "ended_subscriptions",
        "trial_use",
        "settled_units",
        "usage_days",
        "billing_sessions",
        "webhook_tests",
      ].map((table) => `DELETE FROM ${table} WHERE account_id = ?1 AND ?2`),
      `${MARK_DELETED} WHERE account_id = ?1 AND deleted_at IS NULL`,
      "SELECT erasing_at AS erasingAt, erased_at AS erasedAt FROM accounts WHERE id = ?1 AND ?2",
    ];
    const results = await this.db.batch<Erasure>(
      statements.map((statement) => this.statement(statement, [accountId, now])),
    );
    return results.at(-1)?.results[0] ?? null;
  }

  /** Up to `limit` accounts with an unfinished erasure, least recently tried first: a failing one delays no other. */
  unfinished(limit: number): Promise<string[]> {
    return this.values(
      `SELECT id FROM accounts WHERE erasing_at IS NOT NULL AND erased_at IS NULL
       ORDER BY erasure_tried_at, erasing_at LIMIT ?1`,
      [limit],
    );
  }

  /** Up to `limit` ids of the account's listed or deleted jobs, in order, after the id `after`. */
  jobs(accountId: string, after: string, limit: number): Promise<string[]> {
    return this.values(
      `SELECT id FROM jobs WHERE account_id = ?1 AND id > ?2
       UNION ALL SELECT job_id FROM deleted_jobs WHERE account_id = ?1 AND job_id > ?2 ORDER BY id LIMIT ?3`,
      [accountId, after, limit],
    );
  }

  /** Deletes the rows of up to `limit` of the account's uploads, but not of multipart uploads in progress. Returns how many. */
  forgetUploads(accountId: string, limit: number): Promise<number> {
    return this.deleteSome("uploads", "rowid", "account_id = ?1 AND multipart_id IS NULL LIMIT ?2", [
      accountId,
      limit,
    ]);
  }

  /** The account's customer at the payment provider; null if it has none now. */
  customer(accountId: string): Promise<string | null> {
    return this.statement("SELECT customer_id FROM billing WHERE account_id = ?1", [accountId]).first<string>(
      "customer_id",
    );
  }

  async remains(accountId: string): Promise<Remains> {
    const { customers, ...counts } = await this.one<Omit<Remains, "customerIds"> & { customers: string }>(
      `SELECT (SELECT count(*) FROM jobs WHERE account_id = ?1)
           + (SELECT count(*) FROM deleted_jobs WHERE account_id = ?1) AS jobs,
         (SELECT count(*) FROM uploads WHERE account_id = ?1) AS uploads,
         (SELECT count(*) FROM webhook_endpoints WHERE account_id = ?1) AS endpoints,
         (SELECT json_group_array(customer_id) FROM
            (SELECT customer_id FROM billing WHERE account_id = ?1
             UNION ALL SELECT customer_id FROM former_customers WHERE account_id = ?1)) AS customers`,
      [accountId],
    );
    return { ...counts, customerIds: JSON.parse(customers) };
  }

  async finish(accountId: string, now: number): Promise<void> {
    await this.run(
      "UPDATE accounts SET erased_at = ?2, updated_at = ?2 WHERE id = ?1 AND erased_at IS NULL",
      [accountId, now],
    );
  }
}
