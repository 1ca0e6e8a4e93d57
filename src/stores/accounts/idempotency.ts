/** Names a request: an Idempotency-Key within one operation of one account. */
export interface RequestName {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string;
}

/** What a request brings when it claims its key. */
export interface Claim {
  readonly fingerprint: string;
  readonly effectId: string;
  /** Names this very run. */
  readonly lease: string;
}

/** What is known of a key; times are epoch milliseconds. `lease` belongs to the run that has it, or had it last. */
export interface RequestRecord extends Claim {
  /** Sealed; null until the request has succeeded. */
  readonly answer: string | null;
}

interface RequestRow {
  fingerprint: string;
  effect_id: string;
  lease: string;
  answer: string | null;
}

/** How long a run has its key; a run that has not ended by then counts as dead. */
export const LEASE_MS = 60_000;
/** How long a key is remembered. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** Idempotency keys in D1. Each method is one transaction, and one round trip. */
export class IdempotencyKeys {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Claims the key if it is free: it is new, older than a day, or its run is dead and this is the same request, which then
   * keeps the dead run's effectId. Returns what is known of the key afterwards: the claim succeeded if the lease is its own.
   */
  async claim(name: RequestName, claim: Claim, now: number): Promise<RequestRecord> {
    const { accountId, operation, key } = name;
    const [, read] = await this.#db.batch<RequestRow>([
      this.#db
        .prepare(
          `INSERT INTO idempotency_keys AS known
             (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
           ON CONFLICT (account_id, operation, key) DO UPDATE SET
             fingerprint = excluded.fingerprint,
             effect_id = CASE WHEN known.created_at <= ?9 THEN excluded.effect_id ELSE known.effect_id END,
             created_at = CASE WHEN known.created_at <= ?9 THEN excluded.created_at ELSE known.created_at END,
             lease = excluded.lease, lease_until = excluded.lease_until, answer = NULL
           WHERE CASE WHEN known.answer IS NOT NULL THEN known.created_at <= ?9
                 ELSE known.lease_until <= ?8
                      AND (known.fingerprint = excluded.fingerprint OR known.created_at <= ?9) END`,
        )
        .bind(
          accountId,
          operation,
          key,
          claim.fingerprint,
          claim.effectId,
          claim.lease,
          now + LEASE_MS,
          now,
          now - REMEMBERED_MS,
        ),
      this.#db
        .prepare(
          `SELECT fingerprint, effect_id, lease, answer FROM idempotency_keys
           WHERE account_id = ?1 AND operation = ?2 AND key = ?3`,
        )
        .bind(accountId, operation, key),
    ]);
    const row = read?.results[0];
    if (row === undefined) throw new Error("an idempotency key was claimed and is not there");
    const { fingerprint, effect_id: effectId, lease, answer } = row;
    return { fingerprint, effectId, lease, answer };
  }

  /** Keeps the answer of a run that succeeded, unless another run has taken the key over. */
  async complete(name: RequestName, lease: string, answer: string): Promise<void> {
    await this.#update("UPDATE idempotency_keys SET answer = ?5", name, lease, answer);
  }

  /** Renews a run's lease from now on; false if another run has taken the key over. */
  async renew(name: RequestName, lease: string, now: number): Promise<boolean> {
    const until = now + LEASE_MS;
    return (await this.#update("UPDATE idempotency_keys SET lease_until = ?5", name, lease, until)) > 0;
  }

  /** Ends a run's lease, and keeps its effectId for the next run of the same request. */
  async release(name: RequestName, lease: string): Promise<void> {
    await this.#update("UPDATE idempotency_keys SET lease_until = 0", name, lease);
  }

  /** Forgets a request that left nothing behind. */
  async forget(name: RequestName, lease: string): Promise<void> {
    await this.#update("DELETE FROM idempotency_keys", name, lease);
  }

  /** How many keys it changed: one or none. */
  async #update(
    statement: string,
    name: RequestName,
    lease: string,
    ...values: (string | number)[]
  ): Promise<number> {
    const { meta } = await this.#db
      .prepare(`${statement} WHERE account_id = ?1 AND operation = ?2 AND key = ?3 AND lease = ?4`)
      .bind(name.accountId, name.operation, name.key, lease, ...values)
      .run();
    return meta.changes;
  }

  /** Forgets up to `limit` keys whose time is over. Returns how many. */
  async purge(now: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        `DELETE FROM idempotency_keys WHERE (account_id, operation, key) IN
           (SELECT account_id, operation, key FROM idempotency_keys
            WHERE created_at <= ?1 AND lease_until <= ?2 LIMIT ?3)`,
      )
      .bind(now - REMEMBERED_MS, now, limit)
      .run();
    return meta.changes;
  }
}
