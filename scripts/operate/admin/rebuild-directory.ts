import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import type { Database } from "../../shared/database/database.ts";
import { type Databases, directoryOf } from "./databases.ts";
import { type Holding, readDirectory, type Reading, type ReadingOptions } from "./directory-reading.ts";
import type { Outcome } from "../../shared/database/print.ts";
import { sql } from "../../shared/database/sql.ts";

/** Number of entries that a call writes: they are in its command line, which takes 128 kB. */
const WRITTEN_AT_ONCE = 200;
/** Maximum number of shown findings of one kind: more would add no information. */
const MOST_SHOWN = 100;
/** Changes of the directory. Replaces an entry only if it is still the one that was read (`was`, null: none). */
interface Changes {
  readonly accounts: [account: string, database: string, was: string | null][];
  readonly credentials: [credential: string, account: string, was: string | null][];
  readonly forgotten: [credential: string, account: string][];
}

type Problem =
  | "an account in two databases"
  | "a credential of two accounts"
  | "an account that is being moved"
  | "an account in no database";
const CONFLICTS: ReadonlySet<Problem> = new Set([
  "an account in two databases",
  "a credential of two accounts",
]);

/** A notice for the operator. */
type Notice = { readonly problem: Problem; readonly subject: string; readonly detail: string };

interface Options extends ReadingOptions {
  /** True to only report the changes. */
  readonly dryRun: boolean;
}

/**
 * Returns the holding that an account works with; null if two databases have it without a move. A moving account works in its old
 * database, until it is released there.
 */
function homeOf(holdings: readonly Holding[]): Holding | null {
  const [only] = holdings;
  if (only !== undefined && (holdings.length === 1 || holdings.every(({ isErased }) => isErased)))
    return only;
  const from = holdings.find(({ direction }) => direction === "out");
  const to = holdings.find(({ database }) => database === from?.other);
  if (from === undefined || to === undefined || holdings.length > 2) return null;
  return to.direction === null ? to : from;
}

/** Returns the entries that the directory lacks, and the conflicts in the databases, which an operator has to check. */
function compare({ books, places, owners }: Reading): { changes: Changes; notices: Notice[] } {
  const notices: Notice[] = [];
  const homes = new Map<string, Holding>();
  const claims = new Map<string, string[]>();
  for (const [account, holdings] of books) {
    const home = homeOf(holdings);
    const detail = holdings.map(({ database }) => database).join(", ");
    if (home === null) {
      notices.push({ problem: "an account in two databases", subject: account, detail });
      continue;
    }
    if (holdings.some(({ direction }) => direction !== null))
      notices.push({ problem: "an account that is being moved", subject: account, detail });
    homes.set(account, home);
    for (const credential of home.credentials)
      claims.set(credential, [...(claims.get(credential) ?? []), account]);
  }
  for (const [account, database] of places)
    if (!books.has(account))
      notices.push({ problem: "an account in no database", subject: account, detail: database });

  const changes: Changes = { accounts: [], credentials: [], forgotten: [] };
  // An account in the first database needs no entry, unless another entry contradicts it.
  const needed = new Set(places.keys());
  for (const [account, { database }] of homes) if (database !== FIRST_DATABASE) needed.add(account);
  const owned: [credential: string, account: string][] = [];
  for (const [credential, [account = "", ...others]] of claims) {
    if (others.length === 0) {
      owned.push([credential, account]);
      if ((owners.get(credential) ?? account) !== account) needed.add(account);
      continue;
    }
    const detail = [account, ...others].map((each) => `${each} in ${homes.get(each)?.database}`).join(", ");
    notices.push({ problem: "a credential of two accounts", subject: credential, detail });
  }
  for (const [account, { database }] of homes) {
    const said = places.get(account) ?? null;
    if (needed.has(account) && said !== database) changes.accounts.push([account, database, said]);
  }
  for (const [credential, account] of owned) {
    const said = owners.get(credential) ?? null;
    if (needed.has(account) && said !== account) changes.credentials.push([credential, account, said]);
  }
  for (const [credential, account] of owners)
    if (homes.get(account)?.isErased === true && !claims.has(credential))
      changes.forgotten.push([credential, account]);
  return { changes, notices };
}

async function write(directory: Database, { accounts, credentials, forgotten }: Changes): Promise<void> {
  const inPages = async (rows: readonly unknown[], statements: (page: string) => readonly string[]) => {
    for (let i = 0; i < rows.length; i += WRITTEN_AT_ONCE)
      await directory.run(statements(JSON.stringify(rows.slice(i, i + WRITTEN_AT_ONCE))));
  };
  await inPages(accounts, (page) => [
    sql`INSERT INTO directory_accounts (account_id, books) SELECT value ->> 0, value ->> 1 FROM json_each(${page})
        WHERE value ->> 2 IS NULL ON CONFLICT DO NOTHING`,
    sql`UPDATE directory_accounts SET books = value ->> 1 FROM json_each(${page})
        WHERE account_id = value ->> 0 AND books = value ->> 2`,
  ]);
  await inPages(credentials, (page) => [
    sql`INSERT INTO directory_credentials (credential, account_id) SELECT value ->> 0, value ->> 1 FROM json_each(${page})
        WHERE value ->> 2 IS NULL ON CONFLICT DO NOTHING`,
    sql`UPDATE directory_credentials SET account_id = value ->> 1 FROM json_each(${page})
        WHERE credential = value ->> 0 AND account_id = value ->> 2`,
  ]);
  await inPages(forgotten, (page) => [
    sql`DELETE FROM directory_credentials WHERE (credential, account_id) IN
        (SELECT value ->> 0, value ->> 1 FROM json_each(${page}))`,
  ]);
}

/**
 * Makes the directory match all databases: the database of each account, and the account of each credential. A second run changes
 * nothing. Does not change an account in two databases, or a credential of two accounts, but reports it (exit code 1). A
 * directory without rows for accounts of the first database is complete: accounts without an entry are there.
 */
export async function rebuildDirectory(databases: Databases, options: Options): Promise<Outcome> {
  const { changes, notices } = compare(await readDirectory(databases, options));
  if (!options.dryRun) await write(directoryOf(databases), changes);
  const shown = [...Map.groupBy(notices, ({ problem }) => problem).values()].flatMap((some) =>
    some.slice(0, MOST_SHOWN),
  );
  const conflicts = notices.filter(({ problem }) => CONFLICTS.has(problem)).length;
  const { accounts, credentials, forgotten } = changes;
  const counts = `accounts ${accounts.length}, credentials ${credentials.length}, credentials of erased accounts ${forgotten.length}`;
  return {
    result: shown,
    summary: `${options.dryRun ? "The directory is wrong about" : "Corrected in the directory"}: ${counts}. Conflicts: ${conflicts}.`,
    exitCode:
      conflicts === 0 && !(options.dryRun && accounts.length + credentials.length + forgotten.length > 0)
        ? 0
        : 1,
  };
}
