import type { DisabledReason, UpdateWebhookEndpointRequest, WebhookEventType } from "../contract/webhook.ts";
import {
  MOST_ENDPOINTS,
  MOST_KEPT_ENDPOINTS,
  wants,
  type EndpointUse,
  type EventSubject,
} from "../rules/endpoint.ts";
import { D1Store, type SqlValues, atHome } from "../../shared/storage/d1-store.ts";
import { countInHour } from "../../shared/storage/hourly-count.ts";

/** An endpoint without its secrets; times are epoch milliseconds. */
export interface EndpointRecord {
  readonly endpointId: string;
  readonly url: string;
  /** The event types that it receives; null for all. */
  readonly events: readonly WebhookEventType[] | null;
  readonly description: string | null;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The URL to which an endpoint's object sends its events, and the secrets that sign them. */
export interface EndpointTarget {
  readonly accountId: string;
  readonly url: string;
  readonly sealedSecrets: string;
  readonly isDisabled: boolean;
  /** The time at which it was last enabled. */
  readonly enabledAt: number;
}

export interface SealedSecrets {
  readonly endpointId: string;
  readonly sealed: string;
}

/** An enabled endpoint, with its event types, and the time since which it receives them. */
type Listener = Pick<EndpointRecord, "endpointId" | "events" | "createdAt">;

/** The stored events: JSON, or null for all. */
type Stored<Shown> = Omit<Shown, "events"> & { readonly events: string | null };

const RECORD = `id AS endpointId, url, events, description, disabled_at AS disabledAt, disabled_reason AS disabledReason,
  created_at AS createdAt, updated_at AS updatedAt`;

/** One row, an EndpointUse, for the account ?1. */
const ENDPOINT_USE = `
  SELECT count(*) AS kept, count(*) FILTER (WHERE deleted_at IS NULL) AS live FROM webhook_endpoints
  WHERE account_id = ?1`;

/** Deletes endpoints at ?2. Only the id stays, by which the endpoint's object is found. */
export const MARK_DELETED =
  "UPDATE webhook_endpoints SET deleted_at = ?2, url = '', description = NULL, events = NULL, secrets = '', updated_at = ?2";

const textOf = (events: readonly WebhookEventType[] | null): string | null =>
  events === null ? null : JSON.stringify([...new Set(events)]);

const eventsOf = (text: string): WebhookEventType[] => JSON.parse(text);

const parsed = <Row extends { readonly events: string | null }>(row: Row) => ({
  ...row,
  events: row.events === null ? null : eventsOf(row.events),
});

/** The webhook endpoints of accounts, in D1. Their secrets go in and out sealed. */
export class WebhookEndpoints extends D1Store {
  /** Counts an account's test, unless it has made `most` in this hour (epoch hours). Returns true if it counted. */
  async countTest(accountId: string, hour: number, most: number): Promise<boolean> {
    return (await this.run(countInHour("webhook_tests"), [accountId, hour, most])) === 1;
  }

  /** The account's endpoints, newest first. */
  async list(accountId: string): Promise<EndpointRecord[]> {
    const rows = await this.all<Stored<EndpointRecord>>(
      `SELECT ${RECORD} FROM webhook_endpoints WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY id DESC`,
      [accountId],
    );
    return rows.map(parsed);
  }

  async #record(sql: string, values: SqlValues): Promise<EndpointRecord | null> {
    const row = await this.first<Stored<EndpointRecord>>(sql, values);
    return row && parsed(row);
  }

  /** One endpoint of the account; null if it has none with this id. */
  find(accountId: string, endpointId: string): Promise<EndpointRecord | null> {
    return this.#record(
      `SELECT ${RECORD} FROM webhook_endpoints WHERE account_id = ?1 AND id = ?2 AND deleted_at IS NULL`,
      [accountId, endpointId],
    );
  }

  /**
   * Adds an endpoint, unless the account has too many. The statement decides, so that concurrent requests cannot exceed the limit
   * together. Does not change an existing endpoint with this id.
   * @returns true if it was added.
   */
  async insert(accountId: string, endpoint: EndpointRecord, sealedSecrets: string): Promise<boolean> {
    const { endpointId, url, events, description, createdAt } = endpoint;
    const added = await this.run(
      `INSERT INTO webhook_endpoints
         (id, account_id, url, events, description, secrets, enabled_at, created_at, updated_at)
       SELECT :endpointId, :accountId, :url, :events, :description, :sealedSecrets, :now, :now, :now
       FROM (${ENDPOINT_USE}) WHERE live < :mostLive AND kept < :mostKept
       ON CONFLICT (id) DO NOTHING`,
      {
        accountId,
        endpointId,
        url,
        events: textOf(events),
        description,
        sealedSecrets,
        now: createdAt,
        mostLive: MOST_ENDPOINTS,
        mostKept: MOST_KEPT_ENDPOINTS,
      },
    );
    return added === 1;
  }

  use(accountId: string): Promise<EndpointUse> {
    return this.one(ENDPOINT_USE, [accountId]);
  }

  /** Changes an endpoint at `now`. Returns the changed endpoint, or null if the account has none with this id. */
  update(
    accountId: string,
    endpointId: string,
    { url, events, description, disabled }: UpdateWebhookEndpointRequest,
    now: number,
  ): Promise<EndpointRecord | null> {
    return this.#record(
      `UPDATE webhook_endpoints SET
         url = coalesce(:url, url),
         events = iif(:changesEvents, :events, events),
         description = iif(:changesDescription, :description, description),
         enabled_at = iif(:disabled = 0 AND disabled_at IS NOT NULL, :now, enabled_at),
         disabled_reason = CASE :disabled WHEN 1 THEN coalesce(disabled_reason, 'by_account') WHEN 0 THEN NULL
                           ELSE disabled_reason END,
         disabled_at = CASE :disabled WHEN 1 THEN coalesce(disabled_at, :now) WHEN 0 THEN NULL ELSE disabled_at END,
         updated_at = :now
       WHERE account_id = :accountId AND id = :endpointId AND deleted_at IS NULL RETURNING ${RECORD}`,
      {
        accountId,
        endpointId,
        now,
        url: url ?? null,
        changesEvents: Number(events !== undefined),
        events: textOf(events ?? null),
        changesDescription: Number(description !== undefined),
        description: description ?? null,
        disabled: disabled === undefined ? null : Number(disabled),
      },
    );
  }

  /** The sealed secrets of an endpoint; null if the account has none with this id. */
  sealedSecrets(accountId: string, endpointId: string): Promise<string | null> {
    return this.statement(
      "SELECT secrets FROM webhook_endpoints WHERE account_id = ?1 AND id = ?2 AND deleted_at IS NULL",
      [accountId, endpointId],
    ).first<string>("secrets");
  }

  /** Replaces the sealed secrets `before`. Returns the endpoint, or null if it is gone or another request was faster. */
  replaceSecrets(
    accountId: string,
    endpointId: string,
    { before, after }: { readonly before: string; readonly after: string },
    now: number,
  ): Promise<EndpointRecord | null> {
    return this.#record(
      `UPDATE webhook_endpoints SET secrets = ?4, updated_at = ?5
       WHERE account_id = ?1 AND id = ?2 AND secrets = ?3 AND deleted_at IS NULL RETURNING ${RECORD}`,
      [accountId, endpointId, before, after, now],
    );
  }

  /** Returns up to `limit` endpoints of all accounts with their sealed secrets, by their ids, after the id `after`. */
  allSealedSecrets(after: string, limit: number): Promise<SealedSecrets[]> {
    return this.all<SealedSecrets>(
      `SELECT id AS endpointId, secrets AS sealed FROM webhook_endpoints
       WHERE id > ?1 AND deleted_at IS NULL ORDER BY id LIMIT ?2`,
      [after, limit],
    );
  }

  /** Replaces the secrets sealed as `before` with the same secrets; keeps those that another request has replaced meanwhile. */
  async reseal(endpoints: readonly (SealedSecrets & { readonly before: string })[]): Promise<void> {
    if (endpoints.length === 0) return;
    await this.db.batch(
      endpoints.map(({ endpointId, before, sealed }) =>
        this.statement("UPDATE webhook_endpoints SET secrets = ?3 WHERE id = ?1 AND secrets = ?2", [
          endpointId,
          before,
          sealed,
        ]),
      ),
    );
  }

  /** The account's enabled endpoints, as a function: the ids of those that receive an event. */
  async listeners(accountId: string): Promise<(event: EventSubject) => string[]> {
    const rows = await this.all<Stored<Listener>>(
      `SELECT id AS endpointId, events, created_at AS createdAt FROM webhook_endpoints
       WHERE account_id = ?1 AND deleted_at IS NULL AND disabled_at IS NULL`,
      [accountId],
    );
    const enabled = rows.map(parsed);
    return (event) =>
      enabled.filter((endpoint) => wants(endpoint, event)).map(({ endpointId }) => endpointId);
  }

  /** Returns the ids of all endpoints of an account, including deleted ones whose objects may still exist. */
  ids(accountId: string): Promise<string[]> {
    return this.values("SELECT id FROM webhook_endpoints WHERE account_id = ?1 AND erased_at IS NULL", [
      accountId,
    ]);
  }

  /** Returns an endpoint's target for its object; null if there is no such endpoint. */
  async target(endpointId: string): Promise<EndpointTarget | null> {
    const row = await this.first<Omit<EndpointTarget, "isDisabled"> & { isDisabled: number }>(
      `SELECT account_id AS accountId, url, secrets AS sealedSecrets, disabled_at IS NOT NULL AS isDisabled,
         enabled_at AS enabledAt
       FROM webhook_endpoints WHERE id = ?1 AND deleted_at IS NULL`,
      [endpointId],
    );
    return row && { ...row, isDisabled: row.isDisabled === 1 };
  }

  /** Disables an endpoint at `now`, unless it is disabled. Returns true if it did. */
  async disable(endpointId: string, reason: DisabledReason, now: number): Promise<boolean> {
    const disabled = await this.run(
      `UPDATE webhook_endpoints SET disabled_at = ?3, disabled_reason = ?2, updated_at = ?3
       WHERE id = ?1 AND disabled_at IS NULL`,
      [endpointId, reason, now],
    );
    return disabled === 1;
  }

  /** Deletes an endpoint for its account, with its settings and secrets. Returns true if there was one. */
  async markDeleted(accountId: string, endpointId: string, now: number): Promise<boolean> {
    const where = "WHERE account_id = ?1 AND deleted_at IS NULL AND id = ?3";
    return (await this.run(`${MARK_DELETED} ${where}`, [accountId, now, endpointId])) === 1;
  }

  /** Up to `limit` deleted endpoints, of one account or of all, whose objects may still exist. */
  toErase(accountId: string | null, limit: number): Promise<string[]> {
    return this.values(
      `SELECT id FROM webhook_endpoints
       WHERE deleted_at IS NOT NULL AND erased_at IS NULL AND ${atHome()} ${accountId === null ? "" : "AND account_id = ?2"} LIMIT ?1`,
      accountId === null ? [limit] : [limit, accountId],
    );
  }

  /** Records that the object of a deleted endpoint is erased. */
  async noteErased(endpointId: string, now: number): Promise<void> {
    await this.run("UPDATE webhook_endpoints SET erased_at = ?2 WHERE id = ?1 AND deleted_at IS NOT NULL", [
      endpointId,
      now,
    ]);
  }

  /** Deletes the rows of up to `limit` endpoints that were erased before `before` (epoch ms). Returns how many. */
  purge(before: number, limit: number): Promise<number> {
    return this.deleteSome("webhook_endpoints", "rowid", "erased_at < ?1 LIMIT ?2", [before, limit]);
  }

  /** Deletes the rows of an account's erased endpoints. */
  async forgetErased(accountId: string): Promise<void> {
    await this.run("DELETE FROM webhook_endpoints WHERE account_id = ?1 AND erased_at IS NOT NULL", [
      accountId,
    ]);
  }
}
