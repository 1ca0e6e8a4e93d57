import type { Batching } from "./d1-store.ts";

const CHANGED = "the account has changed";

/**
 * Returns a statement that fails, and its batch with it, unless a condition holds. SQLite has no function that fails on purpose
 * outside of a trigger: an invalid JSON path fails, and is in the message.
 */
export const unless = (condition: string): string =>
  `SELECT json_extract('{}', iif(${condition}, '$', '${CHANGED}'))`;

/** Returns true if a batch has failed at such a statement. */
export const hasChanged = (error: unknown): boolean => String(error).includes(CHANGED);

/** The state of a preflight: no batch yet; one has passed; none, as the account has changed; or the database has failed. */
export type PreflightState = "untried" | "passed" | "shut" | "failed";

/**
 * The account's read, before the first batch of a request and in the same transaction: the batch takes effect only if the
 * credential still has access to the same account that this isolate has read before.
 */
export class Preflight implements Batching {
  readonly #db: D1Database;
  readonly #sql: string;
  readonly #values: readonly string[];
  #state: PreflightState = "untried";

  /**
   * @param read the query that reads the account: one row with one string, or none
   * @param values its parameters ?1, ?2, …
   * @param text the string that it read before
   */
  constructor(db: D1Database, read: string, values: readonly string[], text: string) {
    this.#db = db;
    this.#sql = unless(`(${read}) IS ?${values.length + 1}`);
    this.#values = [...values, text];
  }

  get state(): PreflightState {
    return this.#state;
  }

  /** Runs a batch after the check, which only the first batch needs. @throws Error if the account has changed, and as D1. */
  async batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> {
    if (this.#state === "passed") return this.#db.batch<Row>(statements);
    try {
      const check = this.#db.prepare(this.#sql).bind(...this.#values);
      const [, ...results] = await this.#db.batch<Row>([check, ...statements]);
      this.#state = "passed";
      return results;
    } catch (error) {
      this.#state = hasChanged(error) ? "shut" : "failed";
      throw error;
    }
  }
}
