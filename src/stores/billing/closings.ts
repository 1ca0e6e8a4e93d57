import { ClosedSums, type Entry } from "../../core/billing/closing.ts";

/** The last part of an account's closed books, and what all parts come to. */
export interface Closing {
  readonly number: number;
  readonly objectKey: string;
  /** SHA-256 of the part's object, hex. */
  readonly digest: string;
  readonly sums: ClosedSums;
}

/** The entries that a part takes out of the ledger: those of all jobs whose end has an id up to `lastEnd`. */
export interface ClosedEntries {
  readonly lastEnd: number;
  /** The units of them in each meter event. */
  readonly metered: Readonly<Record<string, number>>;
}

const ENDED = "kind IN ('settle', 'void')";

/** Closed books in D1, and the ledger's entries that are to be closed. Each method is one transaction. */
export class Closings {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Up to `limit` accounts whose first ended job in the ledger ended before `dueBefore` (epoch ms). An account whose books were
   * refused after `refusedAfter` (epoch ms) waits: many such accounts must not take every run for themselves.
   */
  async due(dueBefore: number, refusedAfter: number, limit: number): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `WITH RECURSIVE account (id) AS (
           SELECT min(account_id) FROM ledger WHERE ${ENDED}
           UNION ALL
           SELECT (SELECT min(account_id) FROM ledger WHERE ${ENDED} AND account_id > account.id)
           FROM account WHERE account.id IS NOT NULL)
         SELECT id FROM account WHERE id IS NOT NULL
           AND (SELECT at FROM ledger WHERE account_id = account.id AND ${ENDED} ORDER BY id LIMIT 1) < ?1
           AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.id = account.id AND a.books_refused_at > ?2)
         LIMIT ?3`,
      )
      .bind(dueBefore, refusedAfter, limit)
      .all<{ id: string }>();
    return results.map(({ id }) => id);
  }

  /** Notes that an account's books could not be closed at `now` (epoch ms). */
  async noteRefusal(accountId: string, now: number): Promise<void> {
    await this.#db
      .prepare("UPDATE accounts SET books_refused_at = ?2 WHERE id = ?1")
      .bind(accountId, now)
      .run();
  }

  /** An account's closed books; null if there are none yet. */
  async last(accountId: string): Promise<Closing | null> {
    const row = await this.#db
      .prepare(
        "SELECT number, object_key AS objectKey, digest, sums FROM ledger_closings WHERE account_id = ?1",
      )
      .bind(accountId)
      .first<Omit<Closing, "sums"> & { sums: string }>();
    return row && { ...row, sums: ClosedSums.parse(JSON.parse(row.sums)) };
  }

  /** The entries of an account's first `limit` jobs that have ended, each job's together, in the order in which their ends were written. */
  async ended(accountId: string, limit: number): Promise<Entry[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT l.id, l.job_id AS jobId, l.kind, l.fund, l.units, l.at, m.identifier AS meterEvent
         FROM (SELECT id, job_id FROM ledger WHERE account_id = ?1 AND ${ENDED} ORDER BY id LIMIT ?2) AS e
         CROSS JOIN ledger AS l ON l.job_id = e.job_id
         LEFT JOIN meter_events AS m ON l.kind = 'settle' AND l.fund = 'paid' AND l.units > 0
           AND m.identifier = coalesce(l.meter_event, l.job_id)
         ORDER BY e.id`,
      )
      .bind(accountId, limit)
      .all<Entry>();
    return results;
  }

  /**
   * Writes the closing that follows `previous` and takes its entries out of the ledger, both or neither. The database
   * refuses to part with an entry that the closing does not cover.
   * @returns false if the account's books were closed further since `previous` was read; then nothing has changed.
   */
  async write(
    accountId: string,
    previous: Closing | null,
    closing: Closing,
    { lastEnd, metered }: ClosedEntries,
    now: number,
  ): Promise<boolean> {
    const isWritten = "EXISTS (SELECT 1 FROM ledger_closings WHERE account_id = ?1 AND digest = ?2)";
    const erase = (kinds: string) =>
      this.#db
        .prepare(
          `DELETE FROM ledger WHERE ${isWritten} AND kind IN (${kinds}) AND job_id IN
             (SELECT job_id FROM ledger WHERE account_id = ?1 AND ${ENDED} AND id <= ?3)`,
        )
        .bind(accountId, closing.digest, lastEnd);
    const [written] = await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO ledger_closings
             (account_id, number, object_key, digest, previous_digest, closed_at, sums, erasing_through)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
           WHERE ?5 IS (SELECT digest FROM ledger_closings WHERE account_id = ?1)
           ON CONFLICT (account_id) DO UPDATE SET number = excluded.number, object_key = excluded.object_key,
             digest = excluded.digest, previous_digest = excluded.previous_digest,
             closed_at = excluded.closed_at, sums = excluded.sums, erasing_through = excluded.erasing_through`,
        )
        .bind(
          accountId,
          closing.number,
          closing.objectKey,
          closing.digest,
          previous?.digest ?? null,
          now,
          JSON.stringify(closing.sums),
          lastEnd,
        ),
      this.#db
        .prepare(
          `UPDATE meter_events SET account_id = ?1, closed_units = closed_units + closed.value
           FROM json_each(?3) AS closed WHERE identifier = closed.key AND ${isWritten}`,
        )
        .bind(accountId, closing.digest, JSON.stringify(metered)),
      erase("'reserve', 'release'"),
      erase("'settle', 'void'"),
      this.#db
        .prepare("UPDATE ledger_closings SET erasing_through = NULL WHERE account_id = ?1 AND digest = ?2")
        .bind(accountId, closing.digest),
    ]);
    return (written?.meta.changes ?? 0) > 0;
  }

  /**
   * Deletes up to `limit` meter events of use before `before` (epoch ms) that are sent and whose entries are all closed;
   * the closed books count their units.
   */
  async purgeMeterEvents(before: number, limit: number): Promise<number> {
    const purged = `SELECT identifier FROM meter_events
      WHERE sent_at IS NOT NULL AND closed_units = units AND at < ?1 ORDER BY at, identifier LIMIT ?2`;
    const [, deleted] = await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE ledger_closings SET reported_units = reported_units + purged.units
           FROM (SELECT account_id, sum(units) AS units FROM meter_events WHERE identifier IN (${purged})
                 GROUP BY account_id) AS purged
           WHERE ledger_closings.account_id = purged.account_id`,
        )
        .bind(before, limit),
      this.#db.prepare(`DELETE FROM meter_events WHERE identifier IN (${purged})`).bind(before, limit),
    ]);
    return deleted?.meta.changes ?? 0;
  }
}
