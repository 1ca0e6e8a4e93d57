import { env } from "cloudflare:workers";
import { FIRST_DATABASE } from "../../../../src/shared/storage/databases.ts";
import { databasesOf } from "../../../../src/env.ts";
import { type Platform, platformOf } from "../../../../src/platform.ts";

const FIRST = env.DB;

// Set before the files' shared state is recorded, of which it becomes a part.
globalThis.booksOfTest = FIRST_DATABASE;
globalThis.databasesInUse = Infinity;

/** Returns a number that is always the same for a string. */
const numberOf = (text: string): number =>
  new TextEncoder().encode(text).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);

/** Chooses the database for the accounts of a test by its name, and lets new accounts be created there. */
export async function chooseDatabase(test: string): Promise<void> {
  const names = [...databasesOf(env).keys()].slice(0, globalThis.databasesInUse);
  globalThis.booksOfTest = names[numberOf(test) % names.length] ?? FIRST_DATABASE;
  if (names.length === 1) return;
  await FIRST.prepare("INSERT INTO databases (name, bytes, added_at) VALUES (?1, 0, 0)")
    .bind(globalThis.booksOfTest)
    .run();
}

/**
 * The database of the current test's accounts. With several databases, it differs from test to test: `env.DB` is the first one,
 * with the directory.
 */
export const home = {
  get name(): string {
    return globalThis.booksOfTest;
  },
  get DB(): D1Database {
    return databasesOf(env).get(home.name) ?? FIRST;
  },
  /** The platform with the stores of that database. */
  get platform(): Platform {
    return platformOf(env).at(home.name);
  },
};

/** Enters an account that a test has inserted into the directory, with a credential's digest. */
export async function enterAccount(accountId: string, credential: string, books = home.name): Promise<void> {
  if (books === FIRST_DATABASE) return;
  await FIRST.batch([
    FIRST.prepare(
      "INSERT INTO directory_accounts (account_id, books) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    ).bind(accountId, books),
  ]);
  const { directory } = platformOf(env);
  await directory.enter(credential, accountId);
}
