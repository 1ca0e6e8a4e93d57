import type { DisabledReason, WebhookEventType } from "../../contract/webhook.ts";
import { MOST_ENDPOINTS, MOST_KEPT_ENDPOINTS, type EndpointUse } from "../../core/webhooks/bounds.ts";

/** What may be shown of an endpoint; times are epoch milliseconds. */
export interface EndpointRecord {
  readonly endpointId: string;
  readonly url: string;
  /** The types that it is told of; null for all. */
  readonly events: readonly WebhookEventType[] | null;
  readonly description: string | null;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What its account changes of an endpoint; what is absent stays. */
export interface EndpointChange {
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEventType[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly disabled?: boolean | undefined;
}

/** Where an endpoint's object sends its events, and how it signs them. */
export interface EndpointTarget {
  readonly accountId: string;
  readonly url: string;
  readonly sealedSecrets: string;
  readonly isDisabled: boolean;
  /** Since when it is enabled without a break. */
  readonly enabledAt: number;
}

/** An endpoint that listens: to what, and since when. */
export type Listener = Pick<EndpointRecord, "endpointId" | "events" | "createdAt">;

interface EndpointRow {
  id: string;
  url: string;
  events: string | null;
  description: string | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  created_at: number;
  updated_at: number;
}

const SHOWN = "id, url, events, description, disabled_at, disabled_reason, created_at, updated_at";

/** One row, an EndpointUse, for the account ?1. */
const ENDPOINT_USE = `
  SELECT count(*) AS kept, count(*) FILTER (WHERE deleted_at IS NULL) AS live FROM webhook_endpoints
  WHERE account_id = ?1`;

/** Whether the account of the parameter has endpoints: for a statement that runs anyway. */
export const hasEndpoints = (account: string): string =>
  `EXISTS (SELECT 1 FROM webhook_endpoints WHERE account_id = ${account} AND deleted_at IS NULL)`;

/** An endpoint that is deleted keeps its id alone, by which its object is found. ?2 is when. */
export const MARK_DELETED =
  "UPDATE webhook_endpoints SET deleted_at = ?2, url = '', description = NULL, events = NULL, secrets = '', updated_at = ?2";

const eventsOf = (text: string | null): WebhookEventType[] | null =>
  text === null ? null : JSON.parse(text);

const textOf = (events: readonly WebhookEventType[] | null): string | null =>
  events === null ? null : JSON.stringify([...new Set(events)]);

const recordOf = (row: EndpointRow): EndpointRecord => ({
  endpointId: row.id,
  url: row.url,
  events: eventsOf(row.events),
  description: row.description,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The webhook endpoints of accounts, in D1. Their secrets go in and out sealed. */
export class WebhookEndpoints {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The account's endpoints, newest first. */
  async list(accountId: string): Promise<EndpointRecord[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${SHOWN} FROM webhook_endpoints WHERE account_id = ?1 AND deleted_at IS NULL ORDER BY id DESC`,
      )
      .bind(accountId)
      .all<EndpointRow>();
    return results.map(recordOf);
  }

  /** One endpoint of the account; null if it has none with this id. */
  async find(accountId: string, endpointId: string): Promise<EndpointRecord | null> {
    const row = await this.#db
      .prepare(
        `SELECT ${SHOWN} FROM webhook_endpoints WHERE account_id = ?1 AND id = ?2 AND deleted_at IS NULL`,
      )
      .bind(accountId, endpointId)
      .first<EndpointRow>();
    return row && recordOf(row);
  }

  /**
   * Adds an endpoint, unless the account has too many. The statement decides, so that of many at once no more are added than fit.
   * One of this id that exists already stays as it is.
   * @returns whether it was added.
   */
  async insert(accountId: string, endpoint: EndpointRecord, sealedSecrets: string): Promise<boolean> {
    const { endpointId, url, events, description, createdAt } = endpoint;
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO webhook_endpoints
           (id, account_id, url, events, description, secrets, enabled_at, created_at, updated_at)
         SELECT ?2, ?1, ?3, ?4, ?5, ?6, ?7, ?7, ?7 FROM (${ENDPOINT_USE}) WHERE live < ?8 AND kept < ?9
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(
        accountId,
        endpointId,
        url,
        textOf(events),
        description,
        sealedSecrets,
        createdAt,
        MOST_ENDPOINTS,
        MOST_KEPT_ENDPOINTS,
      )
      .run();
    return meta.changes === 1;
  }

  /** How many endpoints an account has. */
  async use(accountId: string): Promise<EndpointUse> {
    const row = await this.#db.prepare(ENDPOINT_USE).bind(accountId).first<EndpointUse>();
    if (row === null) throw new Error("a count gave no row");
    return row;
  }

  /** Changes an endpoint at `now`. Returns it as it is then, or null if the account has none of this id. */
  async update(
    accountId: string,
    endpointId: string,
    { url, events, description, disabled }: EndpointChange,
    now: number,
  ): Promise<EndpointRecord | null> {
    const row = await this.#db
      .prepare(
        `UPDATE webhook_endpoints SET
           url = coalesce(?4, url),
           events = iif(?5, ?6, events),
           description = iif(?7, ?8, description),
           enabled_at = iif(?9 = 0 AND disabled_at IS NOT NULL, ?3, enabled_at),
           disabled_reason = CASE ?9 WHEN 1 THEN coalesce(disabled_reason, 'by_account') WHEN 0 THEN NULL
                             ELSE disabled_reason END,
           disabled_at = CASE ?9 WHEN 1 THEN coalesce(disabled_at, ?3) WHEN 0 THEN NULL ELSE disabled_at END,
           updated_at = ?3
         WHERE account_id = ?1 AND id = ?2 AND deleted_at IS NULL RETURNING ${SHOWN}`,
      )
      .bind(
        accountId,
        endpointId,
        now,
        url ?? null,
        Number(events !== undefined),
        textOf(events ?? null),
        Number(description !== undefined),
        description ?? null,
        disabled === undefined ? null : Number(disabled),
      )
      .first<EndpointRow>();
    return row && recordOf(row);
  }

  /** The sealed secrets of an endpoint; null if the account has none of this id. */
  async sealedSecrets(accountId: string, endpointId: string): Promise<string | null> {
    return this.#db
      .prepare(
        "SELECT secrets FROM webhook_endpoints WHERE account_id = ?1 AND id = ?2 AND deleted_at IS NULL",
      )
      .bind(accountId, endpointId)
      .first<string>("secrets");
  }

  /** Replaces the sealed secrets `before`. Returns the endpoint, or null if it is gone or another request was faster. */
  async replaceSecrets(
    accountId: string,
    endpointId: string,
    { before, after }: { readonly before: string; readonly after: string },
    now: number,
  ): Promise<EndpointRecord | null> {
    const row = await this.#db
      .prepare(
        `UPDATE webhook_endpoints SET secrets = ?4, updated_at = ?5
         WHERE account_id = ?1 AND id = ?2 AND secrets = ?3 AND deleted_at IS NULL RETURNING ${SHOWN}`,
      )
      .bind(accountId, endpointId, before, after, now)
      .first<EndpointRow>();
    return row && recordOf(row);
  }

  /** The account's endpoints that are enabled. */
  async listeners(accountId: string): Promise<Listener[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id, events, created_at FROM webhook_endpoints
         WHERE account_id = ?1 AND deleted_at IS NULL AND disabled_at IS NULL`,
      )
      .bind(accountId)
      .all<Pick<EndpointRow, "id" | "events" | "created_at">>();
    return results.map((row) => ({
      endpointId: row.id,
      events: eventsOf(row.events),
      createdAt: row.created_at,
    }));
  }

  /** What an endpoint's object needs to know of it; null if there is no such endpoint. */
  async target(endpointId: string): Promise<EndpointTarget | null> {
    const row = await this.#db
      .prepare(
        `SELECT account_id, url, secrets, disabled_at, enabled_at FROM webhook_endpoints
         WHERE id = ?1 AND deleted_at IS NULL`,
      )
      .bind(endpointId)
      .first<{
        account_id: string;
        url: string;
        secrets: string;
        disabled_at: number | null;
        enabled_at: number;
      }>();
    return (
      row && {
        accountId: row.account_id,
        url: row.url,
        sealedSecrets: row.secrets,
        isDisabled: row.disabled_at !== null,
        enabledAt: row.enabled_at,
      }
    );
  }

  /** Disables an endpoint at `now`, unless it is. Returns whether it did. */
  async disable(endpointId: string, reason: DisabledReason, now: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `UPDATE webhook_endpoints SET disabled_at = ?3, disabled_reason = ?2, updated_at = ?3
         WHERE id = ?1 AND disabled_at IS NULL`,
      )
      .bind(endpointId, reason, now)
      .run();
    return meta.changes === 1;
  }

  /** Deletes an endpoint for its account, with what it was told and its secrets. Returns whether there was one. */
  async markDeleted(accountId: string, endpointId: string, now: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(`${MARK_DELETED} WHERE account_id = ?1 AND deleted_at IS NULL AND id = ?3`)
      .bind(accountId, now, endpointId)
      .run();
    return meta.changes === 1;
  }

  /** Up to `limit` endpoints, of one account or of all, that are deleted and whose objects may not be erased. */
  async toErase(accountId: string | null, limit: number): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT id FROM webhook_endpoints
         WHERE deleted_at IS NOT NULL AND erased_at IS NULL ${accountId === null ? "" : "AND account_id = ?2"} LIMIT ?1`,
      )
      .bind(...(accountId === null ? [limit] : [limit, accountId]))
      .all<{ id: string }>();
    return results.map(({ id }) => id);
  }

  /** Notes that the object of an endpoint that is deleted is erased. */
  async noteErased(endpointId: string, now: number): Promise<void> {
    await this.#db
      .prepare("UPDATE webhook_endpoints SET erased_at = ?2 WHERE id = ?1 AND deleted_at IS NOT NULL")
      .bind(endpointId, now)
      .run();
  }

  /** Forgets up to `limit` endpoints that were erased before `before` (epoch ms). Returns how many. */
  async purge(before: number, limit: number): Promise<number> {
    const { meta } = await this.#db
      .prepare(
        "DELETE FROM webhook_endpoints WHERE rowid IN (SELECT rowid FROM webhook_endpoints WHERE erased_at < ?1 LIMIT ?2)",
      )
      .bind(before, limit)
      .run();
    return meta.changes;
  }

  /** Forgets those of an account that are erased. */
  async forgetErased(accountId: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM webhook_endpoints WHERE account_id = ?1 AND erased_at IS NOT NULL")
      .bind(accountId)
      .run();
  }
}
