/**
 * How far the nights have come that go round all old jobs together, in D1: a time for each part of the night's work. An id
 * would outlive the erasure of its account.
 */
export class Rounds {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Where the part goes on (epoch ms); null if it begins a round. */
  async read(part: string): Promise<number | null> {
    return this.#db.prepare("SELECT since FROM rounds WHERE part = ?1").bind(part).first<number>("since");
  }

  /** Notes where the part goes on next time (epoch ms); null: it has come round. */
  async note(part: string, since: number | null): Promise<void> {
    const statement =
      since === null
        ? this.#db.prepare("DELETE FROM rounds WHERE part = ?1").bind(part)
        : this.#db
            .prepare(
              "INSERT INTO rounds (part, since) VALUES (?1, ?2) ON CONFLICT (part) DO UPDATE SET since = ?2",
            )
            .bind(part, since);
    await statement.run();
  }
}
