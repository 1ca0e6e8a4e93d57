import type { UsagePeriod, UsedDay } from "../../core/billing/usage-period.ts";

/** What accounts used by the day, in D1. A trigger of the ledger writes it (migrations/0017). */
export class UsageDays {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The days of a period on which a job of the account ended: at most a row a day. */
  async read(accountId: string, { from, to }: UsagePeriod): Promise<UsedDay[]> {
    const { results } = await this.#db
      .prepare("SELECT day, units, jobs FROM usage_days WHERE account_id = ?1 AND day >= ?2 AND day <= ?3")
      .bind(accountId, from, to)
      .all<UsedDay>();
    return results;
  }

  /** Forgets up to `limit` days before `before` (epoch days, UTC). Returns how many. */
  async purge(before: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        `DELETE FROM usage_days WHERE (account_id, day) IN
           (SELECT account_id, day FROM usage_days WHERE day < ?1 LIMIT ?2)`,
      )
      .bind(before, limit)
      .run();
    return meta.changes;
  }
}
