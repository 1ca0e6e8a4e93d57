/** The name of the first database: it has the directory, and all accounts unless the directory says otherwise. */
export const FIRST_DATABASE = "DB";

/** Returns the names of the database bindings in a configuration: `DB`, and then `DB_2`, `DB_3`, … by their numbers. */
export const databaseNames = (bindings: readonly string[]): string[] =>
  bindings
    .filter((binding) => /^DB(?:_[1-9]\d*)?$/.test(binding))
    .toSorted((a, b) => Number(a.slice(3)) - Number(b.slice(3)));

/** A database's name as a record keeps it: absent for the first one. */
export const recorded = (database: string | undefined): { readonly database?: string } =>
  database === undefined || database === FIRST_DATABASE ? {} : { database };

/** The message of triggers that refuse a write for an account that is being moved (migrations/0001_schema.sql). */
const BEING_MOVED = "the account is being moved";

/**
 * The state of a database, by the message of its error: it is `full`, `overloaded` or `away`; or the account is being `moved`,
 * and the database is fine. Null for any other error, which is our mistake.
 */
export type DatabaseFault = "full" | "overloaded" | "away" | "moved";

/** https://developers.cloudflare.com/d1/observability/debug-d1/#error-list, and SQLite's messages. */
const FAULTS: readonly (readonly [DatabaseFault, RegExp])[] = [
  ["moved", new RegExp(BEING_MOVED)],
  ["full", /exceeded maximum DB size|maximum account storage limit|SQLITE_FULL|disk is full/i],
  ["overloaded", /DB is overloaded|too many requests queued|exceeded timeout|exceeded its (?:CPU|memory)/i],
  [
    "away",
    /Network connection lost|object to be reset|transient issue on remote node|reset because its code was updated|No such database/i,
  ],
];

export function databaseFault(reason: string): DatabaseFault | null {
  return FAULTS.find(([, pattern]) => pattern.test(reason))?.[0] ?? null;
}
