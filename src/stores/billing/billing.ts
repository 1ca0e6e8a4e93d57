import type { Subscription } from "../../core/billing/subscription.ts";
import type { PaymentEvent } from "./payments.ts";

/** What is known of a customer when an event about it arrives. */
export interface EventReading {
  /** How often its state was written. Whoever reads, asks Stripe and writes must find this unchanged. */
  readonly version: number;
  /** Whether the event has had its effect. */
  readonly isHandled: boolean;
}

/** What the last answer of the payment provider said of a customer, and how many were written. */
export interface KnownCustomer {
  readonly customerId: string;
  readonly version: number;
  readonly status: string | null;
  /** Epoch milliseconds. */
  readonly currentPeriodEnd: number | null;
}

const KNOWN_CUSTOMER = `customer_id AS customerId, version, subscription_status AS status,
  current_period_end AS currentPeriodEnd`;

/** The accounts' customers at the payment provider, in D1, and the events about them. */
export class Billing {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The customer of an account, or what to create one with: the address, and how many deleted ones it had. */
  async customerOf(
    accountId: string,
  ): Promise<{ customerId: string | null; email: string; formerCustomers: number }> {
    const row = await this.#db
      .prepare(
        `SELECT b.customer_id, a.email,
           (SELECT count(*) FROM former_customers f WHERE f.account_id = a.id) AS former_customers
         FROM accounts a LEFT JOIN billing b ON b.account_id = a.id WHERE a.id = ?1`,
      )
      .bind(accountId)
      .first<{ customer_id: string | null; email: string; former_customers: number }>();
    if (row === null) throw new Error(`no account ${accountId}`);
    return { customerId: row.customer_id, email: row.email, formerCustomers: row.former_customers };
  }

  /** Records the customer of an account unless it has one; returns the one that counts. */
  async keepCustomer(accountId: string, customerId: string, now: number): Promise<string> {
    const row = await this.#db
      .prepare(
        `INSERT INTO billing (account_id, customer_id, updated_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (account_id) DO UPDATE SET updated_at = updated_at RETURNING customer_id`,
      )
      .bind(accountId, customerId, now)
      .first<{ customer_id: string }>();
    if (row === null) throw new Error(`the customer of ${accountId} was not kept`);
    return row.customer_id;
  }

  /**
   * Forgets a customer that the payment provider has deleted, with its state, and records the event that said so in the
   * same transaction.
   * @returns false if it is not the customer of an account.
   */
  async forgetCustomer(customerId: string, event: PaymentEvent | null, now: number): Promise<boolean> {
    const [, deleted] = await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO former_customers (customer_id, account_id, forgotten_at)
           SELECT customer_id, account_id, ?2 FROM billing WHERE customer_id = ?1 ON CONFLICT DO NOTHING`,
        )
        .bind(customerId, now),
      this.#db.prepare("DELETE FROM billing WHERE customer_id = ?1").bind(customerId),
      ...(event === null
        ? []
        : [
            this.#db
              .prepare(
                `INSERT INTO stripe_events (id, type, received_at) SELECT ?1, ?2, ?3 WHERE changes() > 0
                 ON CONFLICT DO NOTHING`,
              )
              .bind(event.id, event.type, now),
          ]),
    ]);
    return deleted?.meta.changes === 1;
  }

  /**
   * Counts that an account asks for a page of the payment provider, unless it has asked `most` times in this hour (epoch
   * hours). The statement decides, so that of many at once no more are counted than fit.
   * @returns whether it was counted.
   */
  async countSession(accountId: string, hour: number, most: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO billing_sessions AS known (account_id, hour, asked)
         SELECT id, ?2, 1 FROM accounts WHERE id = ?1 AND erasing_at IS NULL
         ON CONFLICT (account_id) DO UPDATE SET
           asked = iif(hour = excluded.hour, asked, 0) + 1, hour = excluded.hour
         WHERE known.hour <> excluded.hour OR known.asked < ?3`,
      )
      .bind(accountId, hour, most)
      .run();
    return meta.changes === 1;
  }

  /** What is known of a customer when this event arrives; null for a customer that is not ours. */
  async readForEvent(customerId: string, eventId: string): Promise<EventReading | null> {
    const row = await this.#db
      .prepare(
        `SELECT version, EXISTS (SELECT 1 FROM stripe_events WHERE id = ?2) AS handled
         FROM billing WHERE customer_id = ?1`,
      )
      .bind(customerId, eventId)
      .first<{ version: number; handled: number }>();
    return row && { version: row.version, isHandled: row.handled === 1 };
  }

  /**
   * Customers who count as paying although the period that they paid for has ended, as of `now` (epoch ms): of these a
   * webhook may be missing. Those at whom nobody has looked for the longest time come first, among equals those whose period
   * ended first.
   */
  async overdue(now: number, limit: number): Promise<KnownCustomer[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${KNOWN_CUSTOMER} FROM billing
         WHERE subscription_status IN ('active', 'trialing')
           AND coalesce(current_period_end, 0) <= ?1
         ORDER BY looked_at, coalesce(current_period_end, 0) LIMIT ?2`,
      )
      .bind(now, limit)
      .all<KnownCustomer>();
    return results;
  }

  /** Customers whose payment failed, at whom nobody has looked for the longest time: of these, too, a webhook may be missing. */
  async inArrears(limit: number): Promise<KnownCustomer[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${KNOWN_CUSTOMER} FROM billing
         WHERE subscription_status IN ('past_due', 'unpaid') ORDER BY looked_at LIMIT ?1`,
      )
      .bind(limit)
      .all<KnownCustomer>();
    return results;
  }

  /** Notes that the payment provider is asked for these customers at `now` (epoch ms). */
  async noteLooks(customerIds: readonly string[], now: number): Promise<void> {
    await this.#db
      .prepare("UPDATE billing SET looked_at = ?2 WHERE customer_id IN (SELECT value FROM json_each(?1))")
      .bind(JSON.stringify(customerIds), now)
      .run();
  }

  /**
   * Writes a customer's state and the event that made us ask for it, if one did: both or neither.
   * @returns false if the customer was written since `version` was read: this state may be older than the written one.
   */
  async write(
    customerId: string,
    version: number,
    subscription: Subscription | null,
    event: PaymentEvent | null,
    now: number,
  ): Promise<boolean> {
    const [written] = await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE billing SET subscription_id = ?3, subscription_status = ?4, current_period_end = ?5,
             latest_invoice_status = ?6, version = version + 1, updated_at = ?7
           WHERE customer_id = ?1 AND version = ?2`,
        )
        .bind(
          customerId,
          version,
          subscription?.id ?? null,
          subscription?.status ?? null,
          subscription?.currentPeriodEnd ?? null,
          subscription?.latestInvoiceStatus ?? null,
          now,
        ),
      ...(event === null
        ? []
        : [
            this.#db
              .prepare(
                "INSERT INTO stripe_events (id, type, received_at) SELECT ?1, ?2, ?3 WHERE changes() > 0",
              )
              .bind(event.id, event.type, now),
          ]),
    ]);
    return written?.meta.changes === 1;
  }

  /** Records an event whose effect another write has had. */
  async noteEvent(event: PaymentEvent, now: number): Promise<void> {
    await this.#db
      .prepare("INSERT OR IGNORE INTO stripe_events (id, type, received_at) VALUES (?1, ?2, ?3)")
      .bind(event.id, event.type, now)
      .run();
  }

  /** Forgets up to `limit` events recorded before `before` (epoch ms). Returns how many. */
  async purgeEvents(before: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        "DELETE FROM stripe_events WHERE rowid IN (SELECT rowid FROM stripe_events WHERE received_at < ?1 LIMIT ?2)",
      )
      .bind(before, limit)
      .run();
    return meta.changes;
  }
}
