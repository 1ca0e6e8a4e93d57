import { newDelivery, type Attempt, type Delivery } from "../rules/delivery.ts";
import type { Pending } from "../rules/endpoint.ts";
import { numbered } from "../../shared/storage/named-values.ts";
import { ObjectAlarm } from "../../shared/storage/object-alarm.ts";
import type { DeliveryRecord, OutgoingEvent } from "./rpc.ts";

/** A DeliveryRecord with its attempts as JSON. */
type DeliveryRow = Omit<DeliveryRecord, "attempts"> & { readonly attempts: string };

/** SQL for an undelivered delivery: it is still to be attempted, or has failed and may be attempted again by hand. */
const UNDELIVERED = "outcome IS NOT 'succeeded'";

/**
 * The object's schema. Every object runs it at its start, which adds the changes of later versions. Triggers keep the one row of
 * `undelivered`: a backlog of hundreds of thousands of deliveries is not added up in every run.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS deliveries (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    type        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    body        TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    attempts    TEXT NOT NULL,
    due_at      INTEGER,
    outcome     TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deliveries_succeeded ON deliveries (number) WHERE outcome = 'succeeded';
  CREATE TABLE IF NOT EXISTS undelivered (
    deliveries INTEGER NOT NULL,
    bytes      INTEGER NOT NULL
  ) STRICT;
  INSERT INTO undelivered (deliveries, bytes) SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM undelivered);
  CREATE TRIGGER IF NOT EXISTS undelivered_grows AFTER INSERT ON deliveries WHEN new.${UNDELIVERED} BEGIN
    UPDATE undelivered SET deliveries = deliveries + 1, bytes = bytes + octet_length(new.body);
  END;
  CREATE TRIGGER IF NOT EXISTS undelivered_changes AFTER UPDATE OF outcome ON deliveries
  WHEN (old.${UNDELIVERED}) <> (new.${UNDELIVERED}) BEGIN
    UPDATE undelivered SET deliveries = deliveries + iif(new.${UNDELIVERED}, 1, -1),
      bytes = bytes + iif(new.${UNDELIVERED}, 1, -1) * octet_length(new.body);
  END;
  CREATE TRIGGER IF NOT EXISTS undelivered_deleted AFTER DELETE ON deliveries WHEN old.${UNDELIVERED} BEGIN
    UPDATE undelivered SET deliveries = deliveries - 1, bytes = bytes - octet_length(old.body);
  END;`;

const ENDPOINT = "endpoint";
const DATABASE = "database";
const HELD = "held";
const FAILING = "failingSince";

const attemptsOf = (text: string): Attempt[] => JSON.parse(text);

/** The storage of one WebhookObject: its endpoint's deliveries and health. Times are epoch milliseconds. */
export class WebhookStorage {
  readonly #storage: DurableObjectStorage;
  readonly alarm: ObjectAlarm;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.alarm = new ObjectAlarm(storage);
    if (this.endpointId !== null) storage.sql.exec(SCHEMA);
  }

  /** The endpoint's id; null until `begin`. */
  get endpointId(): string | null {
    return this.#storage.kv.get<string>(ENDPOINT) ?? null;
  }

  /** The database of the endpoint's row; undefined for the first one. */
  get database(): string | undefined {
    return this.#storage.kv.get<string>(DATABASE);
  }

  set database(database: string | undefined) {
    if (database !== this.database) this.#put(DATABASE, database ?? null);
  }

  /** Sets up the object of an endpoint. */
  begin(endpointId: string): void {
    this.#storage.kv.put(ENDPOINT, endpointId);
    this.#storage.sql.exec(SCHEMA);
  }

  /** Adds a delivery, unless the event has one. */
  add({ id, type, at, body }: OutgoingEvent, now: number): DeliveryRecord {
    const { attempts, dueAt } = newDelivery(now);
    this.#storage.sql.exec(
      ...numbered(
        `INSERT INTO deliveries (id, type, at, body, received_at, attempts, due_at)
         VALUES (:id, :type, :at, :body, :now, :attempts, :dueAt) ON CONFLICT (id) DO NOTHING`,
        { id, type, at, body, now, attempts: JSON.stringify(attempts), dueAt },
      ),
    );
    const added = this.find(id);
    if (added === null) throw new Error("a delivery was added and is not there");
    return added;
  }

  /** One delivery; null if there is none with this id. */
  find(id: string): DeliveryRecord | null {
    return this.#read("WHERE id = ?", id)[0] ?? null;
  }

  /** The delivery that has been due for longest; null if none is. */
  firstDue(now: number): DeliveryRecord | null {
    return this.#read("WHERE due_at <= ? ORDER BY due_at LIMIT 1", now)[0] ?? null;
  }

  /** Up to `limit` deliveries with a number below `before`, the newest first. */
  page(before: number, limit: number): DeliveryRecord[] {
    return this.#read("WHERE number < ? ORDER BY number DESC LIMIT ?", before, limit);
  }

  #read(where: string, ...values: SqlStorageValue[]): DeliveryRecord[] {
    const columns = "number, id, type, at, body, attempts, due_at AS dueAt, outcome";
    const rows = this.#storage.sql.exec<DeliveryRow>(`SELECT ${columns} FROM deliveries ${where}`, ...values);
    return Array.from(rows, ({ attempts, ...row }) => ({ ...row, attempts: attemptsOf(attempts) }));
  }

  /** Saves a delivery's state. A purged delivery stays purged. */
  save(id: string, { attempts, dueAt, outcome }: Delivery): void {
    this.#storage.sql.exec(
      "UPDATE deliveries SET attempts = ?, due_at = ?, outcome = ? WHERE id = ?",
      JSON.stringify(attempts),
      dueAt,
      outcome,
      id,
    );
  }

  /** The undelivered deliveries of the endpoint: their number, and the bytes of their bodies. */
  get undelivered(): { readonly deliveries: number; readonly bytes: number } {
    return this.#storage.sql
      .exec<{ deliveries: number; bytes: number }>("SELECT deliveries, bytes FROM undelivered")
      .one();
  }

  /**
   * Deletes deliveries that arrived before `before`, and successful ones that are not among the newest `most`.
   * @returns the number of deleted deliveries that had not ended
   */
  purge(before: number, most: number): number {
    const { newest } = this.#storage.sql
      .exec<{ newest: number }>("SELECT coalesce(max(number), 0) AS newest FROM deliveries")
      .one();
    this.#storage.sql.exec(
      "DELETE FROM deliveries WHERE outcome = 'succeeded' AND number <= ?",
      newest - most,
    );
    const gone = this.#storage.sql.exec<{ outcome: string | null }>(
      `DELETE FROM deliveries WHERE number <= coalesce(
         (SELECT number - 1 FROM deliveries WHERE received_at >= ?1 ORDER BY number LIMIT 1), ?2)
       RETURNING outcome`,
      before,
      newest,
    );
    return Array.from(gone).filter(({ outcome }) => outcome === null).length;
  }

  /** Deletes the oldest undelivered deliveries until the bodies of the others have at most `most` bytes. @returns how many */
  dropExcess(most: number): number {
    const { deliveries, bytes } = this.undelivered;
    let excess = bytes - most;
    if (excess <= 0) return 0;
    let last = 0;
    const oldest = this.#storage.sql.exec<{ number: number; bytes: number }>(
      `SELECT number, octet_length(body) AS bytes FROM deliveries WHERE ${UNDELIVERED} ORDER BY number`,
    );
    for (const one of oldest) {
      last = one.number;
      excess -= one.bytes;
      if (excess <= 0) break;
    }
    this.#storage.sql.exec(`DELETE FROM deliveries WHERE number <= ? AND ${UNDELIVERED}`, last);
    return deliveries - this.undelivered.deliveries;
  }

  /** True while deliveries are paused: the endpoint is disabled. */
  get isHeld(): boolean {
    return this.#storage.kv.get<boolean>(HELD) ?? false;
  }

  set isHeld(held: boolean) {
    this.#put(HELD, held ? true : null);
  }

  get failingSince(): number | null {
    return this.#storage.kv.get<number>(FAILING) ?? null;
  }

  set failingSince(since: number | null) {
    this.#put(FAILING, since);
  }

  #put(key: string, value: boolean | number | string | null): void {
    if (value === null) this.#storage.kv.delete(key);
    else this.#storage.kv.put(key, value);
  }

  get pending(): Pending {
    const times = this.#storage.sql
      .exec<{ dueAt: number | null; oldestAt: number | null }>(
        `SELECT (SELECT min(due_at) FROM deliveries WHERE due_at IS NOT NULL) AS dueAt,
           (SELECT received_at FROM deliveries ORDER BY number LIMIT 1) AS oldestAt`,
      )
      .one();
    return { ...times, isHeld: this.isHeld, failingSince: this.failingSince };
  }

  /** Deletes everything, alarm included, in one turn: the object is as before `begin`. */
  async clear(): Promise<void> {
    this.#storage.kv.delete(ENDPOINT);
    await Promise.all([this.alarm.delete(), this.#storage.deleteAll()]);
  }
}
