import { D1Store, present, type Query } from "./d1-store.ts";
import type { SqlValue } from "./named-values.ts";

/** Names a request: an Idempotency-Key within one operation of one account. */
export interface RequestName {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string;
}

/** A request's claim to its key. */
interface Claim {
  readonly fingerprint: string;
  readonly effectId: string;
  /** Identifies this run of the request. */
  readonly lease: string;
}

/** A claim with its key. */
export interface KeyClaim {
  readonly name: RequestName;
  readonly claim: Claim;
}

/** The record of a key. `lease` belongs to the run that holds it, or held it last. */
export interface RequestRecord extends Claim {
  /**
   * Sealed; null until the request has succeeded. While a run still holds its key, the answer describes an effect that may yet be
   * undone.
   */
  readonly answer: string | null;
}

/** Time that a run holds its key; a run that has not ended by then counts as dead. */
export const LEASE_MS = 60_000;
/** Time that a key is remembered. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** Idempotency keys in D1. Each method is one transaction, and one round trip or a part of one. */
export class IdempotencyKeys extends D1Store {
  /**
   * Claims the key if it is new or older than a day. Also claims it for a repeated request whose run is dead, or has stored its
   * answer with its effect without reporting its end: the new claim then inherits effectId and answer. Returns the key's record
   * afterward: the claim succeeded if the lease is its own.
   */
  claim({ name, claim }: KeyClaim, now: number): Query<RequestRecord> {
    const { accountId, operation, key } = name;
    const { fingerprint, effectId, lease } = claim;
    const statements = [
      this.statement(
        `INSERT INTO idempotency_keys AS known
           (account_id, operation, key, fingerprint, effect_id, lease, lease_until, created_at)
         VALUES (:accountId, :operation, :key, :fingerprint, :effectId, :lease, :leaseUntil, :now)
         ON CONFLICT (account_id, operation, key) DO UPDATE SET
           fingerprint = excluded.fingerprint,
           effect_id = iif(known.created_at <= :forgotten, excluded.effect_id, known.effect_id),
           created_at = iif(known.created_at <= :forgotten, excluded.created_at, known.created_at),
           lease = excluded.lease, lease_until = excluded.lease_until,
           answer = iif(known.created_at <= :forgotten, NULL, known.answer)
         WHERE iif(known.answer IS NULL, known.lease_until <= :now,
                   known.lease_until > 0 OR known.created_at <= :forgotten)
           AND (known.fingerprint = excluded.fingerprint OR known.created_at <= :forgotten)`,
        {
          accountId,
          operation,
          key,
          fingerprint,
          effectId,
          lease,
          leaseUntil: now + LEASE_MS,
          now,
          forgotten: now - REMEMBERED_MS,
        },
      ),
      this.statement(
        `SELECT fingerprint, effect_id AS effectId, lease, answer FROM idempotency_keys
         WHERE account_id = ?1 AND operation = ?2 AND key = ?3`,
        [accountId, operation, key],
      ),
    ];
    return {
      statements,
      read: ([, read]: readonly D1Result<RequestRecord>[]) => present(read?.results[0]),
    };
  }

  /** Returns true if a key is remembered with an answer. */
  async hasAnswer({ accountId, operation, key }: RequestName, now: number): Promise<boolean> {
    const known = await this.statement(
      `SELECT 1 FROM idempotency_keys
       WHERE account_id = ?1 AND operation = ?2 AND key = ?3 AND answer IS NOT NULL AND created_at > ?4`,
      [accountId, operation, key, now - REMEMBERED_MS],
    ).first();
    return known !== null;
  }

  /** Keeps the answer of a run that succeeded, unless another run has taken over the key. */
  async complete(name: RequestName, lease: string, answer: string): Promise<void> {
    await this.#update("UPDATE idempotency_keys SET answer = ?5, lease_until = 0", name, lease, answer);
  }

  /**
   * Returns the statement that keeps the answer of a run whose effect is a job, if its batch has listed that. The run continues,
   * and may fail, so it keeps its lease: a repeated request takes the key over and checks for the job.
   */
  completeWithJob(name: RequestName, lease: string, answer: string): D1PreparedStatement {
    return this.#updating(
      "UPDATE idempotency_keys SET answer = ?5",
      name,
      lease,
      [answer],
      "AND EXISTS (SELECT 1 FROM jobs WHERE id = effect_id)",
    );
  }

  /** Renews a run's lease, and forgets an answer kept before its end; false if another run has taken over the key. */
  async renew(name: RequestName, lease: string, now: number): Promise<boolean> {
    const set = "UPDATE idempotency_keys SET lease_until = ?5, answer = NULL";
    return (await this.#update(set, name, lease, now + LEASE_MS)) > 0;
  }

  /**
   * Ends a run's lease, and keeps its effectId for the next run of the same request. Does not set the time to 0: with a kept
   * answer, this would mean that the run has succeeded.
   */
  async release(name: RequestName, lease: string): Promise<void> {
    await this.#update("UPDATE idempotency_keys SET lease_until = 1", name, lease);
  }

  /** Forgets a request that left nothing behind. */
  async forget(name: RequestName, lease: string): Promise<void> {
    await this.#update("DELETE FROM idempotency_keys", name, lease);
  }

  /** Returns the number of changed keys: one or none. */
  async #update(sql: string, name: RequestName, lease: string, ...values: SqlValue[]): Promise<number> {
    return (await this.#updating(sql, name, lease, values).run()).meta.changes;
  }

  #updating(
    sql: string,
    { accountId, operation, key }: RequestName,
    lease: string,
    values: readonly SqlValue[],
    further = "",
  ): D1PreparedStatement {
    return this.statement(
      `${sql} WHERE account_id = ?1 AND operation = ?2 AND key = ?3 AND lease = ?4 ${further}`,
      [accountId, operation, key, lease, ...values],
    );
  }

  /** Deletes up to `limit` keys that are no longer remembered. Returns how many. */
  purge(now: number, limit: number): Promise<number> {
    const where = "created_at <= ?1 AND lease_until <= ?2 LIMIT ?3";
    const values = [now - REMEMBERED_MS, now, limit];
    return this.deleteSome("idempotency_keys", "account_id, operation, key", where, values);
  }
}
