import type { MeteredUse } from "./payments.ts";

/** Metered use that may be sent. */
export interface DueUse {
  readonly identifier: string;
  readonly customerId: string;
  /** Whether the payment provider may have it already. */
  readonly mayBeKnown: boolean;
}

/** Which use may be sent: of windows that are closed at `now`; first tried after `triedAfter` or never; used after `usedAfter`. */
export interface SendingLimits {
  readonly now: number;
  readonly triedAfter: number;
  readonly usedAfter: number;
}

/** What waits to be sent. */
export interface Backlog {
  /** How many milliseconds ago the oldest that may be sent could have been first; null if nothing waits. */
  readonly lagMs: number | null;
  /** How many may no longer be sent, and the identifier of the oldest of them. */
  readonly stalled: { readonly count: number; readonly oldest: string | null };
}

const unsent = (where: string): string => `
  SELECT count(*) AS count, min(coalesce(closes_at, at)) AS since, identifier AS oldest FROM meter_events
  WHERE sent_at IS NULL AND ${where}`;

/** Metered use on its way to the payment provider, in D1. Times are epoch milliseconds. */
export class UsageOutbox {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** What is not sent and may be, least recently tried first, so that one that is always refused holds up no other. */
  async due({ now, triedAfter, usedAfter }: SendingLimits, limit: number): Promise<DueUse[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT identifier, customer_id, first_tried_at FROM meter_events
         WHERE sent_at IS NULL AND at > ?2 AND (first_tried_at IS NULL OR first_tried_at > ?1)
           AND (closes_at IS NULL OR closes_at <= ?4)
         ORDER BY last_tried_at NULLS FIRST, at LIMIT ?3`,
      )
      .bind(triedAfter, usedAfter, limit, now)
      .all<{ identifier: string; customer_id: string; first_tried_at: number | null }>();
    return results.map((row) => ({
      identifier: row.identifier,
      customerId: row.customer_id,
      mayBeKnown: row.first_tried_at !== null,
    }));
  }

  /**
   * Records that these are about to be sent, before they are: a try that is not on record could be counted twice later.
   * From now on their units stand. An older Worker recorded a first try and did not count tries: it counts as one.
   */
  async noteTries(identifiers: readonly string[], now: number): Promise<MeteredUse[]> {
    const { results } = await this.#db
      .prepare(
        `UPDATE meter_events SET first_tried_at = coalesce(first_tried_at, ?2), last_tried_at = ?2,
           unanswered_tries = unanswered_tries + 1 + (first_tried_at IS NOT NULL AND unanswered_tries = 0)
         WHERE identifier IN (SELECT value FROM json_each(?1)) AND sent_at IS NULL
         RETURNING identifier, customer_id AS customerId, units, at`,
      )
      .bind(JSON.stringify(identifiers), now)
      .all<MeteredUse>();
    return results;
  }

  /**
   * Records how tries ended: these are sent; those the provider certainly did not take, so that the try is as if it had
   * not been. A try that is in neither list counts: the provider may have taken it.
   */
  async noteAnswers(
    { sent, untaken }: { sent: readonly string[]; untaken: readonly string[] },
    now: number,
  ): Promise<void> {
    await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE meter_events SET sent_at = ?2
           WHERE identifier IN (SELECT value FROM json_each(?1)) AND sent_at IS NULL`,
        )
        .bind(JSON.stringify(sent), now),
      this.#db
        .prepare(
          `UPDATE meter_events SET unanswered_tries = unanswered_tries - 1,
             first_tried_at = CASE WHEN unanswered_tries > 1 THEN first_tried_at END
           WHERE identifier IN (SELECT value FROM json_each(?1)) AND sent_at IS NULL`,
        )
        .bind(JSON.stringify(untaken)),
    ]);
  }

  /** What waits, and what may no longer be sent. */
  async backlog({ now, triedAfter, usedAfter }: SendingLimits): Promise<Backlog> {
    const [waiting, stalled] = await this.#db.batch<{
      count: number;
      since: number | null;
      oldest: string | null;
    }>([
      this.#db
        .prepare(
          unsent(
            `(closes_at IS NULL OR closes_at <= ?3)
             AND at > ?2 AND (first_tried_at IS NULL OR first_tried_at > ?1)`,
          ),
        )
        .bind(triedAfter, usedAfter, now),
      this.#db.prepare(unsent("(at <= ?2 OR first_tried_at <= ?1)")).bind(triedAfter, usedAfter),
    ]);
    const since = waiting?.results[0]?.since ?? null;
    const { count = 0, oldest = null } = stalled?.results[0] ?? {};
    return { lagMs: since === null ? null : now - since, stalled: { count, oldest } };
  }
}
