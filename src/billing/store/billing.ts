import type { Plan } from "../rules/access.ts";
import { D1Store, atHome } from "../../shared/storage/d1-store.ts";
import { countInHour } from "../../shared/storage/hourly-count.ts";
import type { CustomerState, PaymentEvent } from "./payments.ts";

/** A customer, and the number of times its state was written. */
export interface Customer {
  readonly customerId: string;
  readonly version: number;
}

/** The known state of a customer when an event about it arrives. */
export interface EventReading {
  /** Number of times its state was written. It must not change between reading it and writing Stripe's answer. */
  readonly version: number;
  /** True if the event has had its effect. */
  readonly isHandled: boolean;
}

/** The payment provider's last answer about a customer, and the number of answers written. */
export interface KnownCustomer extends Customer {
  readonly status: string | null;
  /** Epoch milliseconds. */
  readonly currentPeriodEnd: number | null;
  /** 1 if an invoice is overdue. */
  readonly owes: number;
  readonly paidUnits: number;
}

/** An account whose subscription has ended, with its current access. */
export interface EndedSubscription {
  readonly accountId: string;
  readonly plan: Plan;
  readonly status: string | null;
  /** 1 if an invoice is overdue. */
  readonly owes: number;
}

const KNOWN_CUSTOMER = `customer_id AS customerId, version, subscription_status AS status,
  current_period_end AS currentPeriodEnd, owes, paid_units AS paidUnits`;

/** Returns true if a statement has changed rows, including those that triggers of `billing` write. */
const hasWritten = (result: D1Result | undefined): boolean => (result?.meta.changes ?? 0) > 0;

/** The accounts' customers at the payment provider, in D1, and the events about them. */
export class Billing extends D1Store {
  /** Returns the customer of an account, or the data to create one: the address, and the number of deleted customers. */
  async customerOf(
    accountId: string,
  ): Promise<{ customer: Customer | null; email: string; formerCustomers: number }> {
    const row = await this.first<Customer & { email: string; formerCustomers: number }>(
      `SELECT coalesce(b.customer_id, '') AS customerId, coalesce(b.version, 0) AS version, a.email,
         (SELECT count(*) FROM former_customers f WHERE f.account_id = a.id) AS formerCustomers
       FROM accounts a LEFT JOIN billing b ON b.account_id = a.id WHERE a.id = ?1`,
      [accountId],
    );
    if (row === null) throw new Error(`no account ${accountId}`);
    const { customerId, version, ...rest } = row;
    return { customer: customerId === "" ? null : { customerId, version }, ...rest };
  }

  /** Records the customer of an account unless it has one; returns the recorded customer. */
  keepCustomer(accountId: string, customerId: string, now: number): Promise<Customer> {
    return this.one(
      `INSERT INTO billing (account_id, customer_id, updated_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (account_id) DO UPDATE SET updated_at = updated_at RETURNING customer_id AS customerId, version`,
      [accountId, customerId, now],
    );
  }

  /** Records an event, if the statement before it in the batch changed a row; nothing for null. */
  #noteEffect(event: PaymentEvent | null, now: number): D1PreparedStatement[] {
    if (event === null) return [];
    const sql = `INSERT INTO stripe_events (id, type, received_at) SELECT ?1, ?2, ?3 WHERE changes() > 0
      ON CONFLICT DO NOTHING`;
    return [this.statement(sql, [event.id, event.type, now])];
  }

  /**
   * Forgets a customer that the payment provider has deleted, with its state, and records the event that said so in the
   * same transaction.
   * @returns false if it is not the customer of an account.
   */
  async forgetCustomer(customerId: string, event: PaymentEvent | null, now: number): Promise<boolean> {
    const [, deleted] = await this.db.batch([
      this.statement(
        `INSERT INTO former_customers (customer_id, account_id, forgotten_at)
         SELECT customer_id, account_id, ?2 FROM billing WHERE customer_id = ?1 ON CONFLICT DO NOTHING`,
        [customerId, now],
      ),
      this.statement("DELETE FROM billing WHERE customer_id = ?1", [customerId]),
      ...this.#noteEffect(event, now),
    ]);
    return hasWritten(deleted);
  }

  /**
   * Counts a request of an account for a page of the payment provider, unless it has made `most` in this hour (epoch
   * hours).
   * @returns whether it was counted.
   */
  async countSession(accountId: string, hour: number, most: number): Promise<boolean> {
    return (await this.run(countInHour("billing_sessions"), [accountId, hour, most])) === 1;
  }

  /** Returns the known state of a customer when this event arrives; null for a customer that is not ours. */
  async readForEvent(customerId: string, eventId: string): Promise<EventReading | null> {
    const row = await this.first<{ version: number; handled: number }>(
      `SELECT version, EXISTS (SELECT 1 FROM stripe_events WHERE id = ?2) AS handled
       FROM billing WHERE customer_id = ?1`,
      [customerId, eventId],
    );
    return row && { version: row.version, isHandled: row.handled === 1 };
  }

  /**
   * Customers who count as paying although their paid period had ended at `now` (epoch ms): a webhook about them may be
   * missing. Least recently checked first, then earliest period end.
   */
  overdue(now: number, limit: number): Promise<KnownCustomer[]> {
    return this.all(
      `SELECT ${KNOWN_CUSTOMER} FROM billing
       WHERE subscription_status IN ('active', 'trialing')
         AND coalesce(current_period_end, 0) <= ?1 AND ${atHome()}
       ORDER BY checked_at, coalesce(current_period_end, 0) LIMIT ?2`,
      [now, limit],
    );
  }

  /** Customers who owe a payment, least recently checked first: a webhook about them, too, may be missing. */
  inArrears(limit: number): Promise<KnownCustomer[]> {
    return this.all(
      `SELECT ${KNOWN_CUSTOMER} FROM billing
       WHERE (owes = 1 OR subscription_status IN ('past_due', 'unpaid')) AND ${atHome()} ORDER BY checked_at LIMIT ?1`,
      [limit],
    );
  }

  /**
   * Accounts whose subscription has ended and whose jobs may have unstarted tasks. Accounts that have subscribed again, or that
   * the operator's plan admits, have none to cancel. The CROSS JOIN makes SQLite read the few ends first, and not all accounts.
   */
  ended(limit: number): Promise<EndedSubscription[]> {
    return this.all(
      `SELECT a.id AS accountId, a.plan, b.subscription_status AS status, coalesce(b.owes, 0) AS owes
       FROM ended_subscriptions CROSS JOIN accounts AS a ON a.id = ended_subscriptions.account_id
         LEFT JOIN billing AS b ON b.account_id = a.id
       WHERE ${atHome("ended_subscriptions.account_id")}
       ORDER BY ended_at LIMIT ?1`,
      [limit],
    );
  }

  /** Records that the end of an account's subscription is handled. */
  async noteEnd(accountId: string): Promise<void> {
    await this.run("DELETE FROM ended_subscriptions WHERE account_id = ?1", [accountId]);
  }

  /** Records that these customers are checked with the payment provider at `now` (epoch ms). */
  async noteChecks(customerIds: readonly string[], now: number): Promise<void> {
    await this.run(
      "UPDATE billing SET checked_at = ?2 WHERE customer_id IN (SELECT value FROM json_each(?1))",
      [JSON.stringify(customerIds), now],
    );
  }

  /**
   * Writes a customer's state and the event that prompted us to ask for it, if there was one: both or neither.
   * @returns false if the customer was written since `version` was read: this state may be older than the written one.
   */
  async write(
    customerId: string,
    version: number,
    { subscription, owes, paidUnits }: CustomerState,
    event: PaymentEvent | null,
    now: number,
  ): Promise<boolean> {
    const {
      id = null,
      status = null,
      currentPeriodEnd = null,
      latestInvoiceStatus = null,
    } = subscription ?? {};
    const [written] = await this.db.batch([
      this.statement(
        `UPDATE billing SET subscription_id = :id, subscription_status = :status, current_period_end = :currentPeriodEnd,
           latest_invoice_status = :latestInvoiceStatus, version = version + 1, updated_at = :now, owes = :owes,
           paid_units = :paidUnits
         WHERE customer_id = :customerId AND version = :version`,
        {
          customerId,
          version,
          id,
          status,
          currentPeriodEnd,
          latestInvoiceStatus,
          owes: Number(owes),
          paidUnits,
          now,
        },
      ),
      ...this.#noteEffect(event, now),
    ]);
    return hasWritten(written);
  }

  /** Records an event whose effect is already part of another write. */
  async noteEvent(event: PaymentEvent, now: number): Promise<void> {
    await this.run("INSERT OR IGNORE INTO stripe_events (id, type, received_at) VALUES (?1, ?2, ?3)", [
      event.id,
      event.type,
      now,
    ]);
  }

  /** Deletes up to `limit` events recorded before `before` (epoch ms). Returns how many. */
  purgeEvents(before: number, limit: number): Promise<number> {
    return this.deleteSome("stripe_events", "rowid", "received_at < ?1 LIMIT ?2", [before, limit]);
  }
}
