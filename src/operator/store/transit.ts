import { D1Store } from "../../shared/storage/d1-store.ts";

/** The tables with an account's rows, in the order in which they are copied; they are deleted in the opposite order. */
const COPIED = [
  "accounts",
  "api_keys",
  "uploads",
  "jobs",
  "deleted_jobs",
  "ledger",
  "ledger_closings",
  "idempotency_keys",
  // Before the customers: deleting a customer's row in the old database ends no subscription, but a trigger records it.
  "ended_subscriptions",
  "billing",
  "former_customers",
  "meter_events",
  "webhook_endpoints",
  "shares",
] as const;

/** Sums that triggers of the others keep: copied last, unchanged. An account has a few hundred rows of each. */
const SUMS = [
  "upload_bytes",
  "daily_use",
  "trial_use",
  "settled_units",
  "usage_days",
  "billing_sessions",
  "metered_use",
  "refused_inspections",
  "webhook_tests",
] as const;

/**
 * Counts that triggers keep of existing rows. Not copied: the new database counts the copied rows, and a sweep may delete some of
 * them on one side only.
 */
const COUNTED = ["account_counts"] as const;

/** All tables that a move copies. */
export const MOVED_TABLES = [...COPIED, ...SUMS, ...COUNTED];
/** Tables that lose no row to age while the account is frozen. */
export const FIXED_TABLES = [
  "accounts",
  "jobs",
  "deleted_jobs",
  "ledger",
  "ledger_closings",
  "ended_subscriptions",
  "billing",
  "meter_events",
] as const;

type Table = (typeof MOVED_TABLES)[number];

/** Rows that one statement copies or deletes: some hundred kB, and D1 takes a value of 2 MB. */
const PAGE = 500;

/** The rows of the account ?1 in a table. Meter events without a window name the customer alone. */
const ownedRows = (table: Table): string => {
  if (table === "accounts") return "id = ?1";
  if (table !== "meter_events") return "account_id = ?1";
  return `(account_id = ?1 OR (account_id IS NULL AND customer_id IN (
    SELECT customer_id FROM billing WHERE account_id = ?1
    UNION ALL SELECT customer_id FROM former_customers WHERE account_id = ?1)))`;
};

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** The columns of a table, without those that the database computes. */
interface Columns {
  readonly all: readonly string[];
  readonly key: readonly string[];
}

/** The progress of a copy: the index of the table, and the last copied key. Past the last table, it is complete. */
interface CopyPlace {
  readonly table: number;
  readonly after: readonly Value[] | null;
}

/** A page of rows from the account's old database, and the start of the next one. */
export interface CopiedPage {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** True if it replaces existing rows, which triggers wrote. */
  readonly replaces: boolean;
  readonly next: CopyPlace;
}

/** An account's move, as one of its two databases records it. */
export interface Transit {
  readonly direction: "out" | "in";
  /** The other database. */
  readonly other: string;
  /** Going out: the last job whose object knows of the move; null if none does. Coming in: without meaning. */
  readonly notified: string | null;
}

/** The reasons why an account can't be moved now. */
export type Unmovable = "no_such_account" | "erasing" | "jobs_under_way";

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/**
 * An account that moves from one database to another, as each of the two records it (`in_transit` in migrations/0001_schema.sql).
 */
export class Transits extends D1Store {
  /** The account's move out of this database or into it; null if there is none. */
  async find(accountId: string): Promise<Transit | null> {
    return this.first<Transit>(
      `SELECT direction, other, iif(direction = 'out', place ->> '$', NULL) AS notified FROM in_transit WHERE account_id = ?1`,
      [accountId],
    );
  }

  /**
   * Freezes the account in its database, unless one of its jobs is in progress: the statement decides. Returns the reason, or
   * null.
   */
  async freeze(accountId: string, to: string, now: number): Promise<Unmovable | null> {
    const underWay =
      "EXISTS (SELECT 1 FROM jobs WHERE account_id = ?1 AND status IN ('queued', 'processing'))";
    const [, read] = await this.db.batch<{ isFrozen: number; isErasing: number | null }>([
      this.statement(
        `INSERT INTO in_transit (account_id, direction, other, begun_at)
         SELECT id, 'out', ?2, ?3 FROM accounts WHERE id = ?1 AND erasing_at IS NULL AND NOT ${underWay}
         ON CONFLICT DO NOTHING`,
        [accountId, to, now],
      ),
      this.statement(
        `SELECT EXISTS (SELECT 1 FROM in_transit WHERE account_id = ?1) AS isFrozen,
           (SELECT erasing_at IS NOT NULL FROM accounts WHERE id = ?1) AS isErasing`,
        [accountId],
      ),
    ]);
    const row = read?.results[0];
    if (row?.isFrozen === 1) return null;
    if (row === undefined || row.isErasing === null) return "no_such_account";
    return row.isErasing === 1 ? "erasing" : "jobs_under_way";
  }

  /** Marks the account as moved to another database: its remaining rows here can be deleted. */
  async leave(accountId: string, to: string, now: number): Promise<void> {
    await this.run(
      `INSERT INTO in_transit (account_id, direction, other, place, begun_at) VALUES (?1, 'out', ?2, json_quote(''), ?3)
       ON CONFLICT DO NOTHING`,
      [accountId, to, now],
    );
  }

  /** Expects the account from another database, if it does not already. Returns the progress of its copy. */
  async expect(accountId: string, from: string, now: number): Promise<CopyPlace> {
    const start: CopyPlace = { table: 0, after: null };
    await this.run(
      `INSERT INTO in_transit (account_id, direction, other, place, begun_at) VALUES (?1, 'in', ?2, ?3, ?4)
       ON CONFLICT DO NOTHING`,
      [accountId, from, JSON.stringify(start), now],
    );
    const place = await this.statement("SELECT place FROM in_transit WHERE account_id = ?1", [
      accountId,
    ]).first<string>("place");
    return place === null ? start : JSON.parse(place);
  }

  /** The page of the account's rows at a place; null if the copy is whole. */
  async page(accountId: string, { table: index, after }: CopyPlace): Promise<CopiedPage | null> {
    const table = [...COPIED, ...SUMS][index];
    if (table === undefined) return null;
    const { all, key } = await this.#columns(table);
    const replaces = index >= COPIED.length;
    // The new database renumbers them in the same order.
    const columns = table === "ledger" ? all.filter((name) => name !== "id") : all;
    const further =
      after === null ? "" : `AND (${quoted(key)}) > (${after.map((_, i) => `?${i + 2}`).join()})`;
    const rows = await this.all<Row>(
      `SELECT ${quoted(all)} FROM ${table} WHERE ${ownedRows(table)} ${further}
       ORDER BY ${quoted(key)} ${replaces ? "" : `LIMIT ${PAGE}`}`,
      [accountId, ...(after ?? [])],
    );
    const last = rows.at(-1);
    const next =
      replaces || last === undefined || rows.length < PAGE
        ? { table: index + 1, after: null }
        : { table: index, after: key.map((name) => last[name] ?? null) };
    return { table, columns, rows, replaces, next };
  }

  async #columns(table: Table): Promise<Columns> {
    const columns = await this.all<{ name: string; pk: number }>(
      "SELECT name, pk FROM pragma_table_info(?1)",
      [table],
    );
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    return { all: columns.map(({ name }) => name), key: key.map(({ name }) => name) };
  }

  /** Writes a page of an expected account, and the start of the next one: both or neither. */
  async write(accountId: string, { table, columns, rows, replaces, next }: CopiedPage): Promise<void> {
    const values = columns.map((name) => `value ->> '$."${name}"'`).join(", ");
    await this.#opened(accountId, [
      ...(replaces ? [this.statement(`DELETE FROM ${table} WHERE ${ownedRows(table)}`, [accountId])] : []),
      this.statement(
        `INSERT INTO ${table} (${quoted(columns)}) SELECT ${values} FROM json_each(?1) ORDER BY json_each.key`,
        [JSON.stringify(rows)],
      ),
      this.statement("UPDATE in_transit SET place = ?2 WHERE account_id = ?1", [
        accountId,
        JSON.stringify(next),
      ]),
    ]);
  }

  /** Returns the number of the account's rows in each table. */
  async count(accountId: string): Promise<Record<string, number>> {
    const counts = MOVED_TABLES.map(
      (table) => `SELECT '${table}' AS name, count(*) AS n FROM ${table} WHERE ${ownedRows(table)}`,
    );
    const results = await this.db.batch<{ name: string; n: number }>(
      counts.map((sql) => this.statement(sql, [accountId])),
    );
    return Object.fromEntries(results.flatMap(({ results: rows }) => rows.map(({ name, n }) => [name, n])));
  }

  /** Records the last job whose object knows the account's new database. */
  async noteNotified(accountId: string, jobId: string): Promise<void> {
    await this.run("UPDATE in_transit SET place = json_quote(?2) WHERE account_id = ?1", [accountId, jobId]);
  }

  /** Ends the move into this database: the account's rows become normal rows. */
  async release(accountId: string): Promise<void> {
    await this.run("DELETE FROM in_transit WHERE account_id = ?1", [accountId]);
  }

  /**
   * Deletes the account's rows here, at most this many pages of them and until `until` (epoch ms), and last the account itself:
   * its move ends here. Returns true if nothing is left.
   */
  async delete(accountId: string, mostPages: number, until: number): Promise<boolean> {
    let pages = 0;
    await this.#opened(accountId, [this.#deadLetters(accountId)]);
    for (const table of MOVED_TABLES.toReversed()) {
      if (table === "accounts") break;
      const key = quoted((await this.#columns(table)).key);
      const page = `SELECT ${key} FROM ${table} WHERE ${ownedRows(table)} LIMIT ${PAGE}`;
      for (let deleted = PAGE; deleted === PAGE; pages += 1) {
        if (pages >= mostPages + MOVED_TABLES.length || Date.now() >= until) return false;
        const sql = `DELETE FROM ${table} WHERE (${key}) IN (${page})`;
        deleted = await this.#opened(accountId, [this.statement(sql, [accountId])]);
      }
    }
    await this.#opened(accountId, [
      this.statement("DELETE FROM accounts WHERE id = ?1", [accountId]),
      this.statement("DELETE FROM in_transit WHERE account_id = ?1", [accountId]),
    ]);
    return true;
  }

  #deadLetters(accountId: string): D1PreparedStatement {
    return this.statement(
      "DELETE FROM dead_letters WHERE job_id IN (SELECT id FROM jobs WHERE account_id = ?1)",
      [accountId],
    );
  }

  /** Runs the mover's statements, which the freeze admits, in one transaction. Returns how many rows the last one changed. */
  async #opened(accountId: string, statements: readonly D1PreparedStatement[]): Promise<number> {
    const open = (value: number) =>
      this.statement("UPDATE in_transit SET open = ?2 WHERE account_id = ?1", [accountId, value]);
    const results = await this.db.batch([open(1), ...statements, open(0)]);
    return results.at(-2)?.meta.changes ?? 0;
  }
}
