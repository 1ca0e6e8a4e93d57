import { ClosedSums, type Entry } from "../rules/closing.ts";
import { D1Store, atHome } from "../../shared/storage/d1-store.ts";

/** The last part of an account's closed books, and the sums of all parts. */
export interface Closing {
  readonly number: number;
  readonly objectKey: string;
  /** SHA-256 of the part's object, hex. */
  readonly digest: string;
  readonly sums: ClosedSums;
}

/** The entries that a part removes from the ledger: those of all jobs whose end has an id up to `lastEnd`. */
export interface ClosedEntries {
  readonly lastEnd: number;
  /** Their units by meter event. */
  readonly metered: Readonly<Record<string, number>>;
}

const ENDED = "kind IN ('settle', 'void')";

/** Closed books in D1, and the ledger's entries that are to be closed. Each method is one transaction. */
export class Closings extends D1Store {
  /**
   * Up to `limit` accounts whose first ended job in the ledger ended before `dueBefore` (epoch ms). An account whose books
   * could not be closed after `refusedAfter` (epoch ms) waits, so that many such accounts cannot take up every run.
   */
  due(dueBefore: number, refusedAfter: number, limit: number): Promise<string[]> {
    return this.values(
      `WITH RECURSIVE account (id) AS (
         SELECT min(account_id) FROM ledger WHERE ${ENDED}
         UNION ALL
         SELECT (SELECT min(account_id) FROM ledger WHERE ${ENDED} AND account_id > account.id)
         FROM account WHERE account.id IS NOT NULL)
       SELECT id FROM account WHERE id IS NOT NULL
         AND (SELECT at FROM ledger WHERE account_id = account.id AND ${ENDED} ORDER BY id LIMIT 1) < ?1
         AND NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.id = account.id AND a.books_refused_at > ?2)
         AND ${atHome("id")}
       LIMIT ?3`,
      [dueBefore, refusedAfter, limit],
    );
  }

  /** Records that an account's books could not be closed at `now` (epoch ms). */
  async noteRefusal(accountId: string, now: number): Promise<void> {
    await this.run("UPDATE accounts SET books_refused_at = ?2 WHERE id = ?1", [accountId, now]);
  }

  /** An account's closed books; null if there are none yet. */
  async last(accountId: string): Promise<Closing | null> {
    const row = await this.first<Omit<Closing, "sums"> & { sums: string }>(
      "SELECT number, object_key AS objectKey, digest, sums FROM ledger_closings WHERE account_id = ?1",
      [accountId],
    );
    return row && { ...row, sums: ClosedSums.parse(JSON.parse(row.sums)) };
  }

  /** The entries of an account's first `limit` ended jobs, grouped by job, in the order in which the ends were written. */
  ended(accountId: string, limit: number): Promise<Entry[]> {
    return this.all(
      `SELECT l.id, l.job_id AS jobId, l.kind, l.fund, l.units, l.at, m.identifier AS meterEvent
       FROM (SELECT id, job_id FROM ledger WHERE account_id = ?1 AND ${ENDED} ORDER BY id LIMIT ?2) AS e
       CROSS JOIN ledger AS l ON l.job_id = e.job_id
       LEFT JOIN meter_events AS m ON l.kind = 'settle' AND l.fund = 'paid' AND l.units > 0
         AND m.identifier = coalesce(l.meter_event, l.job_id)
       ORDER BY e.id`,
      [accountId, limit],
    );
  }

  /**
   * Writes the closing that follows `previous` and deletes its entries from the ledger, both or neither. The database
   * refuses to delete an entry that the closing does not cover.
   * @returns false if the account's books were closed further since `previous` was read; then nothing has changed.
   */
  async write(
    accountId: string,
    previous: Closing | null,
    { number, objectKey, digest, sums }: Closing,
    { lastEnd, metered }: ClosedEntries,
    now: number,
  ): Promise<boolean> {
    // `erasing_through` is set within this transaction alone: another run has written the same closing, and counted its units.
    const isWritten =
      "EXISTS (SELECT 1 FROM ledger_closings WHERE account_id = ?1 AND digest = ?2 AND erasing_through IS NOT NULL)";
    const erase = (kinds: string) =>
      this.statement(
        `DELETE FROM ledger WHERE ${isWritten} AND kind IN (${kinds}) AND job_id IN
           (SELECT job_id FROM ledger WHERE account_id = ?1 AND ${ENDED} AND id <= ?3)`,
        [accountId, digest, lastEnd],
      );
    const before = previous?.digest ?? null;
    const [written] = await this.db.batch([
      this.statement(
        `INSERT INTO ledger_closings
           (account_id, number, object_key, digest, previous_digest, closed_at, sums, erasing_through)
         SELECT :accountId, :number, :objectKey, :digest, :before, :now, :sums, :lastEnd
         WHERE :before IS (SELECT digest FROM ledger_closings WHERE account_id = :accountId)
         ON CONFLICT (account_id) DO UPDATE SET number = excluded.number, object_key = excluded.object_key,
           digest = excluded.digest, previous_digest = excluded.previous_digest,
           closed_at = excluded.closed_at, sums = excluded.sums, erasing_through = excluded.erasing_through`,
        { accountId, number, objectKey, digest, before, now, sums: JSON.stringify(sums), lastEnd },
      ),
      this.statement(
        `UPDATE meter_events SET account_id = ?1, closed_units = closed_units + closed.value
         FROM json_each(?3) AS closed WHERE identifier = closed.key AND ${isWritten}`,
        [accountId, digest, JSON.stringify(metered)],
      ),
      erase("'reserve', 'release'"),
      erase("'settle', 'void'"),
      this.statement(
        "UPDATE ledger_closings SET erasing_through = NULL WHERE account_id = ?1 AND digest = ?2",
        [accountId, digest],
      ),
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
    const [, deleted] = await this.db.batch([
      this.statement(
        `UPDATE ledger_closings SET reported_units = reported_units + purged.units
         FROM (SELECT account_id, sum(units) AS units FROM meter_events WHERE identifier IN (${purged})
               GROUP BY account_id) AS purged
         WHERE ledger_closings.account_id = purged.account_id`,
        [before, limit],
      ),
      this.statement(`DELETE FROM meter_events WHERE identifier IN (${purged})`, [before, limit]),
    ]);
    return deleted?.meta.changes ?? 0;
  }
}
