import { FIRST_DATABASE } from "../../shared/storage/databases.ts";
import { D1Store, present } from "../../shared/storage/d1-store.ts";

/** An account, and the database that has its data. */
export interface Place {
  readonly accountId: string;
  readonly database: string;
}

/** Size counted for a new account until the size of its database is read again. */
const NEW_ACCOUNT_BYTES = 100_000;

/**
 * The database of each account and the account of each credential, in the first database. Has rows only for accounts that were
 * created while there were several databases, or that have moved.
 */
export class Directory extends D1Store {
  /**
   * Returns the database of a credential's account (by digest); the first database if the directory does not know the credential.
   */
  async find(credential: string): Promise<string> {
    return this.#booksOf(
      `directory_credentials AS c JOIN directory_accounts AS a ON a.account_id = c.account_id WHERE c.credential = ?1`,
      credential,
    );
  }

  /** Returns the database of an account; the first database if the directory does not name the account. */
  databaseOf(accountId: string): Promise<string> {
    return this.#booksOf("directory_accounts AS a WHERE a.account_id = ?1", accountId);
  }

  /** The database of each of these accounts that the directory names; the others are in the first one. */
  async databasesOf(accountIds: readonly string[]): Promise<Map<string, string>> {
    const places = await this.all<Place>(
      `SELECT account_id AS accountId, books AS database FROM directory_accounts
       WHERE account_id IN (SELECT value FROM json_each(?1))`,
      [JSON.stringify(accountIds)],
    );
    return new Map(places.map(({ accountId, database }) => [accountId, database]));
  }

  async #booksOf(source: string, key: string): Promise<string> {
    const books = await this.statement(`SELECT a.books FROM ${source}`, [key]).first<string>("books");
    return books ?? FIRST_DATABASE;
  }

  /**
   * Enters a credential of an account that does not exist yet, in the emptiest of these databases that take new accounts; in a
   * database that does not answer only if no other takes accounts. Of concurrent or repeated calls for a credential the first
   * decides.
   * @returns the place of the credential's account.
   */
  async enterNew(
    credential: string,
    accountId: string,
    databases: readonly string[],
    answering: readonly string[],
  ): Promise<Place> {
    const results = await this.db.batch<Place>([
      this.statement(
        `INSERT INTO directory_accounts (account_id, books)
         SELECT ?2, coalesce((SELECT name FROM databases WHERE name IN (SELECT value FROM json_each(?3))
                              ORDER BY name NOT IN (SELECT value FROM json_each(?5)), bytes, name LIMIT 1), ?4)
         WHERE NOT EXISTS (SELECT 1 FROM directory_credentials WHERE credential = ?1)`,
        [credential, accountId, JSON.stringify(databases), FIRST_DATABASE, JSON.stringify(answering)],
      ),
      this.statement(
        `INSERT INTO directory_credentials (credential, account_id)
         SELECT ?1, account_id FROM directory_accounts WHERE account_id = ?2 ON CONFLICT DO NOTHING`,
        [credential, accountId],
      ),
      this.statement(
        `UPDATE databases SET bytes = bytes + ?2
         WHERE changes() > 0 AND name = (SELECT books FROM directory_accounts WHERE account_id = ?1)`,
        [accountId, NEW_ACCOUNT_BYTES],
      ),
      this.statement(
        `SELECT a.account_id AS accountId, a.books AS database FROM directory_credentials AS c
         JOIN directory_accounts AS a ON a.account_id = c.account_id WHERE c.credential = ?1`,
        [credential],
      ),
    ]);
    return present(results.at(-1)?.results[0]);
  }

  /** Enters another credential of an account, if the directory names the account: otherwise it is found without an entry. */
  async enter(credential: string, accountId: string): Promise<void> {
    await this.run(
      `INSERT INTO directory_credentials (credential, account_id)
       SELECT ?1, account_id FROM directory_accounts WHERE account_id = ?2 ON CONFLICT DO NOTHING`,
      [credential, accountId],
    );
  }

  /**
   * Moves the account to `database` in the directory, with its credentials.
   * @param credentials all of the account's credentials
   */
  async move(accountId: string, database: string, credentials: readonly string[]): Promise<void> {
    await this.db.batch([
      this.statement(
        `INSERT INTO directory_accounts (account_id, books) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET books = excluded.books`,
        [accountId, database],
      ),
      this.statement(
        `INSERT INTO directory_credentials (credential, account_id) SELECT value, ?1 FROM json_each(?2) WHERE true
         ON CONFLICT DO UPDATE SET account_id = excluded.account_id`,
        [accountId, JSON.stringify(credentials)],
      ),
    ]);
  }

  async forget(credentials: readonly string[]): Promise<void> {
    await this.deletion("directory_credentials", "credential", credentials).run();
  }

  /** Forgets an account's credentials, but not its database. */
  async forgetCredentials(accountId: string): Promise<void> {
    await this.run("DELETE FROM directory_credentials WHERE account_id = ?1", [accountId]);
  }

  /** Notes the size of a database, if it takes new accounts. */
  async noteSize(database: string, bytes: number): Promise<void> {
    await this.run("UPDATE databases SET bytes = ?2 WHERE name = ?1", [database, bytes]);
  }
}
