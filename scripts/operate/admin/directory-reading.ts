import { identityEntry } from "../../../src/accounts/rules/identity.ts";
import type { Database, Row } from "../../shared/database/database.ts";
import { type Databases, directoryOf } from "./databases.ts";
import { sql } from "../../shared/database/sql.ts";

/** Number of accounts, or entries, that a call reads. */
const READ_AT_ONCE = 2_000;

/** An account in one database. */
export interface Holding {
  readonly database: string;
  readonly isErased: boolean;
  /** Its move out of this database or into it, and the other one. */
  readonly direction: "out" | "in" | null;
  readonly other: string | null;
  /** The digests of its credentials. */
  readonly credentials: readonly string[];
}

/** The accounts of all databases, and the directory. */
export interface Reading {
  readonly books: ReadonlyMap<string, readonly Holding[]>;
  /** By account, its database in the directory. */
  readonly places: ReadonlyMap<string, string>;
  /** By credential, its account in the directory. */
  readonly owners: ReadonlyMap<string, string>;
}

export interface ReadingOptions {
  /** Number of rows that a call reads. */
  readonly page?: number | undefined;
}

/** Reads all rows of a query in the order of a column, page by page. */
async function readAll(
  database: Database,
  pageAfter: (after: string, rows: number) => string,
  key: string,
  { page = READ_AT_ONCE }: ReadingOptions,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let after = ""; ;) {
    const [rows = []] = await database.run([pageAfter(after, page)]);
    all.push(...rows);
    if (rows.length < page) return all;
    after = String(rows.at(-1)?.[key]);
  }
}

/** The accounts of a database, with their credentials. */
async function readBooks(
  name: string,
  database: Database,
  options: ReadingOptions,
): Promise<Map<string, Holding>> {
  const accounts = await readAll(
    database,
    (
      after,
      rows,
    ) => sql`SELECT a.id, a.issuer, a.subject, a.erasing_at IS NOT NULL AS erased, t.direction, t.other,
        (SELECT json_group_array(digest) FROM (SELECT digest FROM api_keys WHERE account_id = a.id
           UNION ALL SELECT digest FROM shares WHERE account_id = a.id)) AS keys
      FROM accounts AS a LEFT JOIN in_transit AS t ON t.account_id = a.id
      WHERE a.id > ${after} ORDER BY a.id LIMIT ${rows}`,
    "id",
    options,
  );
  const holdings = accounts.map(async ({ id, issuer, subject, erased, direction, other, keys }) => {
    const digests: string[] = JSON.parse(String(keys));
    const identity =
      typeof issuer === "string" && typeof subject === "string"
        ? [await identityEntry({ issuer, subject })]
        : [];
    const holding: Holding = {
      database: name,
      isErased: erased === 1,
      direction: direction === "out" || direction === "in" ? direction : null,
      other: typeof other === "string" ? other : null,
      credentials: [...digests, ...identity],
    };
    return [String(id), holding] as const;
  });
  return new Map(await Promise.all(holdings));
}

/** Reads the directory, and then all databases: in this order, an account that moves meanwhile is not taken back. */
export async function readDirectory(databases: Databases, options: ReadingOptions): Promise<Reading> {
  const directory = directoryOf(databases);
  const pairs = async (table: string, key: string, value: string): Promise<Map<string, string>> => {
    const pageAfter = (after: string, rows: number): string =>
      `SELECT ${key}, ${value} FROM ${table} WHERE ${key} > ${sql`${after}`} ORDER BY ${key} LIMIT ${rows}`;
    const rows = await readAll(directory, pageAfter, key, options);
    return new Map(rows.map((row) => [String(row[key]), String(row[value])]));
  };
  const places = await pairs("directory_accounts", "account_id", "books");
  const owners = await pairs("directory_credentials", "credential", "account_id");
  const books = new Map<string, Holding[]>();
  for (const [name, database] of databases)
    for (const [account, holding] of await readBooks(name, database, options))
      books.set(account, [...(books.get(account) ?? []), holding]);
  return { books, places, owners };
}
