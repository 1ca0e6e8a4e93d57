import { D1Store } from "../../shared/storage/d1-store.ts";
import type { MeteredUse } from "./payments.ts";

/** Metered use that may be sent. */
export interface DueUse {
  readonly identifier: string;
  readonly customerId: string;
  /** True if the payment provider may have it already. */
  readonly mayBeKnown: boolean;
}

/** Conditions for sending: windows closed at `now`; first tried after `triedAfter` or never; used after `usedAfter`. */
export interface SendingLimits {
  readonly now: number;
  readonly triedAfter: number;
  readonly usedAfter: number;
}

/** Usage that waits to be sent. */
export interface Backlog {
  /** Milliseconds since the oldest usage could first have been sent; null if nothing waits. */
  readonly lagMs: number | null;
  /** Number that may no longer be sent, and the identifier of the oldest of them. */
  readonly stalled: { readonly count: number; readonly oldest: string | null };
}

const unsent = (where: string): string => `
  SELECT count(*) AS count, min(closes_at) AS since, identifier AS oldest FROM meter_events
  WHERE sent_at IS NULL AND ${where}`;

/** Metered use on its way to the payment provider, in D1. Times are epoch milliseconds. */
export class UsageOutbox extends D1Store {
  /**
   * Unsent use that may be sent, least recently tried first, so that a use that Stripe always refuses delays no other. A window
   * of an earlier state of the subscription takes no more use. It does not wait for the end of its hour: the subscription may
   * have ended, and its last invoice does not wait.
   */
  async due({ now, triedAfter, usedAfter }: SendingLimits, limit: number): Promise<DueUse[]> {
    const rows = await this.all<{ identifier: string; customerId: string; mayBeKnown: number }>(
      `SELECT identifier, customer_id AS customerId, first_tried_at IS NOT NULL AS mayBeKnown FROM meter_events
       WHERE sent_at IS NULL AND at > ?2 AND (first_tried_at IS NULL OR first_tried_at > ?1)
         AND (closes_at <= ?4 OR NOT EXISTS (
           SELECT 1 FROM billing AS b
           WHERE b.account_id = meter_events.account_id AND b.version = meter_events.billing_version))
       ORDER BY last_tried_at NULLS FIRST, at LIMIT ?3`,
      [triedAfter, usedAfter, limit, now],
    );
    return rows.map(({ mayBeKnown, ...row }) => Object.assign(row, { mayBeKnown: mayBeKnown === 1 }));
  }

  /**
   * Records that these are about to be sent: an unrecorded try could be counted twice later. From now on their units are final.
   */
  noteTries(identifiers: readonly string[], now: number): Promise<MeteredUse[]> {
    return this.all(
      `UPDATE meter_events SET first_tried_at = coalesce(first_tried_at, ?2), last_tried_at = ?2,
         unanswered_tries = unanswered_tries + 1
       WHERE identifier IN (SELECT value FROM json_each(?1)) AND sent_at IS NULL
       RETURNING identifier, customer_id AS customerId, units, at`,
      [JSON.stringify(identifiers), now],
    );
  }

  /**
   * Records the outcome of tries: `sent` are sent; the provider rejected `untaken`, so those tries do not count. A
   * try in neither list counts: the provider may have taken it.
   */
  async noteAnswers(
    { sent, untaken }: { sent: readonly string[]; untaken: readonly string[] },
    now: number,
  ): Promise<void> {
    const listed = "identifier IN (SELECT value FROM json_each(?1)) AND sent_at IS NULL";
    await this.db.batch([
      this.statement(`UPDATE meter_events SET sent_at = ?2 WHERE ${listed}`, [JSON.stringify(sent), now]),
      this.statement(
        `UPDATE meter_events SET unanswered_tries = unanswered_tries - 1,
           first_tried_at = CASE WHEN unanswered_tries > 1 THEN first_tried_at END
         WHERE ${listed}`,
        [JSON.stringify(untaken)],
      ),
    ]);
  }

  /** Returns the usage that waits, and the usage that may no longer be sent. */
  async backlog({ now, triedAfter, usedAfter }: SendingLimits): Promise<Backlog> {
    const [waiting, stalled] = await this.db.batch<{
      count: number;
      since: number | null;
      oldest: string | null;
    }>([
      this.statement(
        unsent("closes_at <= ?3 AND at > ?2 AND (first_tried_at IS NULL OR first_tried_at > ?1)"),
        [triedAfter, usedAfter, now],
      ),
      this.statement(unsent("(at <= ?2 OR first_tried_at <= ?1)"), [triedAfter, usedAfter]),
    ]);
    const since = waiting?.results[0]?.since ?? null;
    const { count = 0, oldest = null } = stalled?.results[0] ?? {};
    return { lagMs: since === null ? null : now - since, stalled: { count, oldest } };
  }
}
