import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import { Failure } from "../../shared/command-line.ts";
import {
  createAccount,
  type CreatedAccount,
  listAccounts,
  type NewAccount,
  type AccountPage,
} from "../../shared/database/accounts.ts";
import type { Database, Row } from "../../shared/database/database.ts";
import { createKey, type NewKey, revokeKey } from "../../shared/database/keys.ts";
import { checkLedger, type LedgerCheckOptions, type LedgerReport } from "./ledger-check.ts";
import { findJob } from "./operate.ts";
import { sql } from "../../shared/database/sql.ts";

/** The databases of a service by the names of their bindings. The first one also has the directory. */
export type Databases = ReadonlyMap<string, Database>;

function named(databases: Databases, name: string): Database {
  const database = databases.get(name);
  if (database === undefined)
    throw new Failure(
      `The configuration has no database with the binding ${name}. It has: ${[...databases.keys()].join(", ")}.`,
    );
  return database;
}

/** The first database, with the directory. */
export const directoryOf = (databases: Databases): Database => named(databases, FIRST_DATABASE);

async function firstOf(rows: Promise<Row[][]>, column: string): Promise<string | null> {
  const value = (await rows)[0]?.[0]?.[column];
  return typeof value === "string" ? value : null;
}

/** Returns the database of an account. A single database needs no query. */
export async function booksOf(databases: Databases, accountId: string): Promise<Database> {
  const directory = directoryOf(databases);
  if (databases.size === 1) return directory;
  const find = sql`SELECT books FROM directory_accounts WHERE account_id = ${accountId}`;
  return named(databases, (await firstOf(directory.run([find]), "books")) ?? FIRST_DATABASE);
}

/** Queries each database until one has it. @throws the last Failure if none has */
async function whereFound<T>(databases: Databases, ask: (database: Database) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const database of databases.values()) {
    try {
      return await ask(database);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/**
 * Like createAccount, in the emptiest of the databases that take new accounts.
 * @throws Failure if any has an account of the address
 */
export async function createAccountSomewhere(
  databases: Databases,
  account: NewAccount,
): Promise<CreatedAccount> {
  const directory = directoryOf(databases);
  if (databases.size === 1) return createAccount(directory, account);
  const known = sql`SELECT id FROM accounts WHERE email = ${account.email} COLLATE NOCASE`;
  for (const database of databases.values())
    if ((await firstOf(database.run([known]), "id")) !== null)
      throw new Failure(`${account.email} already has an account.`);
  const emptiest = sql`SELECT name FROM databases WHERE name IN (SELECT value FROM json_each(${JSON.stringify([...databases.keys()])})) ORDER BY bytes, name LIMIT 1`;
  const name = (await firstOf(directory.run([emptiest]), "name")) ?? FIRST_DATABASE;
  return createAccount(named(databases, name), account, async (accountId, digest) => {
    await directory.run([
      sql`INSERT INTO directory_accounts (account_id, books) VALUES (${accountId}, ${name})`,
      sql`INSERT INTO directory_credentials (credential, account_id) VALUES (${digest}, ${accountId})`,
      sql`UPDATE databases SET bytes = bytes + 100000 WHERE name = ${name}`,
    ]);
  });
}

/** Like createKey, and enters the key in the directory first. @throws Failure if there is no such account, or it is erased */
export async function createKeyWhereItIs(
  databases: Databases,
  accountId: string,
  label: string,
): Promise<NewKey> {
  const books = await booksOf(databases, accountId);
  if (databases.size === 1) return createKey(books, accountId, label);
  return createKey(books, accountId, label, async (digest) => {
    const enter = sql`INSERT INTO directory_credentials (credential, account_id)
      SELECT ${digest}, account_id FROM directory_accounts WHERE account_id = ${accountId}`;
    await directoryOf(databases).run([enter]);
  });
}

/** Like revokeKey, in any database. @throws Failure if there is no such key */
export const revokeKeyWhereItIs = (databases: Databases, keyId: string): Promise<string> =>
  whereFound(databases, (database) => revokeKey(database, keyId));

/** Like findJob, in any database. @throws Failure if there is no such job */
export const findJobAnywhere = (databases: Databases, jobId: string): Promise<Row> =>
  whereFound(databases, (database) => findJob(database, jobId));

/** Like listAccounts, for all databases. */
export async function listAllAccounts(
  databases: Databases,
  page: AccountPage,
): Promise<{ accounts: Row[]; more: boolean }> {
  const pages = [];
  for (const [name, database] of databases) {
    const found = await listAccounts(database, page);
    const place: Row = databases.size === 1 ? {} : { database: name };
    pages.push({
      more: found.more,
      accounts: found.accounts.map((account): Row => Object.assign(account, place)),
    });
  }
  const accounts = pages
    .flatMap((each) => each.accounts)
    .toSorted((a, b) => (String(a["accountId"]) < String(b["accountId"]) ? 1 : -1));
  const more = accounts.length > page.limit || pages.some((each) => each.more);
  return { accounts: accounts.slice(0, page.limit), more };
}

/** Like checkLedger, for each database; a finding names the database if there are several. */
export async function checkLedgers(
  databases: Databases,
  grant: number,
  now: number,
  options: LedgerCheckOptions = {},
): Promise<LedgerReport> {
  const findings: Row[] = [];
  const summaries: string[] = [];
  for (const [name, database] of databases) {
    const report = await checkLedger(database, grant, now, options);
    const place: Row = databases.size === 1 ? {} : { database: name };
    findings.push(...report.findings.map((finding) => ({ ...place, ...finding })));
    summaries.push(databases.size === 1 ? report.summary : `${name}: ${report.summary}`);
  }
  return { findings, summary: summaries.join("\n") };
}

/** Returns the databases with their sizes as last seen by the Worker, and their numbers of accounts. */
export async function listDatabases(databases: Databases): Promise<Row[]> {
  const [taking = []] = await directoryOf(databases).run([
    "SELECT name, bytes, added_at AS addedAt FROM databases",
  ]);
  const rows: Row[] = [];
  for (const [name, database] of databases) {
    const known = taking.find((row) => row["name"] === name);
    const [[count] = []] = await database.run(["SELECT count(*) AS accounts FROM accounts"]);
    rows.push({
      database: name,
      takesNewAccounts:
        known !== undefined || (taking.length === 0 && name === FIRST_DATABASE) ? "yes" : "no",
      bytes: known?.["bytes"] ?? null,
      addedAt: known?.["addedAt"] ?? null,
      accounts: count?.["accounts"] ?? 0,
    });
  }
  return rows;
}

const entryOf = (name: string): string =>
  sql`INSERT INTO databases (name, bytes, added_at) VALUES (${name}, 0, ${Date.now()}) ON CONFLICT DO NOTHING`;

/** Lets new accounts be created in a database with the schema of the first one. @throws Failure if its schema differs */
export async function addDatabase(databases: Databases, name: string): Promise<Row[]> {
  const schema =
    "SELECT group_concat(name) AS names FROM (SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger') AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY name)";
  const [there, here] = [
    await firstOf(named(databases, name).run([schema]), "names"),
    await firstOf(directoryOf(databases).run([schema]), "names"),
  ];
  if (there !== here)
    throw new Failure(
      `${name} does not have the tables of ${FIRST_DATABASE}. Apply the migrations first: npm run deploy does, or npx wrangler d1 migrations apply ${name} --remote`,
    );
  await directoryOf(databases).run([entryOf(FIRST_DATABASE), entryOf(name)]);
  return listDatabases(databases);
}
