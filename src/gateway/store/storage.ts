import { GatewayHello } from "@segmentation/protocol";
import { ObjectAlarm } from "../../shared/storage/object-alarm.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS workers (
    name         TEXT PRIMARY KEY,
    digest       TEXT NOT NULL UNIQUE,
    hello        TEXT,
    ends_at      INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS leases (
    key    TEXT PRIMARY KEY,
    worker TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS leases_of_worker ON leases (worker);
  CREATE TABLE IF NOT EXISTS pictures (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    picture TEXT NOT NULL UNIQUE,
    worker  TEXT NOT NULL
  ) STRICT;`;

/** More than the caches of a hundred services have. */
const MOST_PICTURES = 2_000;

const MOST_HELLOS = 200;

/** A worker as it is stored. */
export interface StoredWorker {
  readonly name: string;
  /** The first frame of its last connection; null if it has never connected. */
  readonly hello: GatewayHello | null;
  /** Number of its leases. */
  readonly held: number;
  /** The time at which its leases end, epoch milliseconds; null while it is connected, or nothing is known. */
  readonly endsAt: number | null;
}

/** The storage of the gateway: workers with their tokens' digests, their leases, and who has had which picture. */
export class GatewayStorage {
  readonly #sql: SqlStorage;
  readonly alarm: ObjectAlarm;
  /** The first frames by their stored text: an offer reads all of them. */
  readonly #hellos = new Map<string, GatewayHello | null>();

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.alarm = new ObjectAlarm(storage);
    this.#sql.exec(SCHEMA);
  }

  /** Adds a worker. False if there is one of that name. */
  add(name: string, digest: string): boolean {
    const added = this.#sql.exec(
      "INSERT INTO workers (name, digest) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
      name,
      digest,
    );
    return added.rowsWritten > 0;
  }

  remove(name: string): boolean {
    return this.#sql.exec("DELETE FROM workers WHERE name = ?1", name).rowsWritten > 0;
  }

  /** Returns the name of the worker whose token has a digest. */
  nameBy(digest: string): string | null {
    const [row] = this.#sql.exec<{ name: string }>("SELECT name FROM workers WHERE digest = ?1", digest);
    return row?.name ?? null;
  }

  has(name: string): boolean {
    return this.#sql.exec("SELECT 1 FROM workers WHERE name = ?1", name).toArray().length > 0;
  }

  /** Returns all workers, by name. */
  workers(): StoredWorker[] {
    const rows = this.#sql.exec<{ name: string; hello: string | null; held: number; ends_at: number | null }>(
      `SELECT name, hello, ends_at, (SELECT count(*) FROM leases WHERE worker = name) AS held
       FROM workers ORDER BY name`,
    );
    return [...rows].map(({ name, hello, held, ends_at: endsAt }) => ({
      name,
      hello: hello === null ? null : this.#helloOf(hello),
      held,
      endsAt,
    }));
  }

  #helloOf(text: string): GatewayHello | null {
    const known = this.#hellos.get(text);
    if (known !== undefined) return known;
    // An earlier version of the Worker may have stored it.
    const hello = GatewayHello.safeParse(JSON.parse(text)).data ?? null;
    if (this.#hellos.size >= MOST_HELLOS) this.#hellos.clear();
    this.#hellos.set(text, hello);
    return hello;
  }

  /** Notes a worker's connection. */
  connected(name: string, hello: GatewayHello): void {
    const stored = JSON.stringify({ ...hello, tasks: [] });
    this.#sql.exec("UPDATE workers SET hello = ?2, ends_at = NULL WHERE name = ?1", name, stored);
  }

  /** Sets the time at which a worker's leases end. */
  setEnd(name: string, at: number | null): void {
    this.#sql.exec("UPDATE workers SET ends_at = ?2 WHERE name = ?1 AND ends_at IS NOT ?2", name, at);
  }

  /** Notes that a worker took a task of a picture. */
  take(key: string, worker: string, picture: string | null): void {
    this.#sql.exec("INSERT OR REPLACE INTO leases (key, worker) VALUES (?1, ?2)", key, worker);
    if (picture === null) return;
    this.#sql.exec("INSERT OR REPLACE INTO pictures (picture, worker) VALUES (?1, ?2)", picture, worker);
    this.#sql.exec(
      "DELETE FROM pictures WHERE number <= (SELECT max(number) FROM pictures) - ?1",
      MOST_PICTURES,
    );
  }

  /** Forgets a lease. False if the worker does not have it. */
  drop(key: string, worker: string): boolean {
    const dropped = this.#sql.exec("DELETE FROM leases WHERE key = ?1 AND worker = ?2", key, worker);
    return dropped.rowsWritten > 0;
  }

  /** Returns the worker that has a task. */
  holderOf(key: string): string | null {
    const [row] = this.#sql.exec<{ worker: string }>("SELECT worker FROM leases WHERE key = ?1", key);
    return row?.worker ?? null;
  }

  /** Returns the worker that last had a picture. */
  familiarWith(picture: string): string | null {
    const [row] = this.#sql.exec<{ worker: string }>(
      "SELECT worker FROM pictures WHERE picture = ?1",
      picture,
    );
    return row?.worker ?? null;
  }

  /** Returns the keys of a worker's leases. */
  leasesOf(worker: string): string[] {
    const rows = this.#sql.exec<{ key: string }>("SELECT key FROM leases WHERE worker = ?1", worker);
    return [...rows].map(({ key }) => key);
  }
}
