import type { MeteredUse } from "./payments.ts";

interface Row {
  identifier: string;
  customer_id: string;
  units: number;
  at: number;
  first_tried_at: number | null;
}

/** Metered use that may be sent. */
export interface DueUse extends MeteredUse {
  /** Whether the payment provider may have it already. */
  readonly wasTried: boolean;
}

/** Which use may still be sent: first tried after `triedAfter` or never tried, and used after `usedAfter`. */
export interface SendingLimits {
  readonly triedAfter: number;
  readonly usedAfter: number;
}

/** Metered use on its way to the payment provider, in D1. Times are epoch milliseconds. */
export class UsageOutbox {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** What is not sent and may be, least recently tried first, so that one that is always refused holds up no other. */
  async due({ triedAfter, usedAfter }: SendingLimits, limit: number): Promise<DueUse[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT identifier, customer_id, units, at, first_tried_at FROM meter_events
         WHERE sent_at IS NULL AND at > ?2 AND (first_tried_at IS NULL OR first_tried_at > ?1)
         ORDER BY last_tried_at NULLS FIRST, at LIMIT ?3`,
      )
      .bind(triedAfter, usedAfter, limit)
      .all<Row>();
    return results.map((row) => ({
      identifier: row.identifier,
      customerId: row.customer_id,
      units: row.units,
      at: row.at,
      wasTried: row.first_tried_at !== null,
    }));
  }

  /** Records that it is about to be sent. */
  async noteTry(identifier: string, now: number): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE meter_events SET first_tried_at = coalesce(first_tried_at, ?2), last_tried_at = ?2
         WHERE identifier = ?1`,
      )
      .bind(identifier, now)
      .run();
  }

  async markSent(identifier: string, now: number): Promise<void> {
    await this.#db
      .prepare("UPDATE meter_events SET sent_at = ?2 WHERE identifier = ?1 AND sent_at IS NULL")
      .bind(identifier, now)
      .run();
  }

  /** What is not sent and may no longer be: how many, and the identifier of the oldest. */
  async stalled({ triedAfter, usedAfter }: SendingLimits): Promise<{ count: number; oldest: string | null }> {
    const row = await this.#db
      .prepare(
        `SELECT count(*) AS count, min(at), identifier AS oldest FROM meter_events
         WHERE sent_at IS NULL AND (at <= ?2 OR first_tried_at <= ?1)`,
      )
      .bind(triedAfter, usedAfter)
      .first<{ count: number; oldest: string | null }>();
    return { count: row?.count ?? 0, oldest: row?.oldest ?? null };
  }
}
