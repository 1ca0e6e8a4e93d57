import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { MOVED_TABLES } from "../../../../src/operator/store/transit.ts";
import { databasesOf, type Env } from "../../../../src/env.ts";
import worker from "../../../../src/index.ts";
import { answerOf, type Answer } from "../client/api.ts";
import { home } from "./databases.ts";

/** The names of the runtime's databases, of which there are sixteen. */
export const ALL = [...databasesOf(env).keys()];

export function database(name: string): D1Database {
  const found = databasesOf(env).get(name);
  if (found === undefined) throw new Error(`no database ${name}`);
  return found;
}

/**
 * Lets the file's tests use this many databases from now on.
 * @returns the Worker's environment with only these.
 */
export function useDatabases(count: number): Env {
  globalThis.databasesInUse = count;
  return withDatabases(count);
}

/** Returns the Worker's environment with the first `count` databases, and replacements of some bindings. */
export function withDatabases(
  count: number,
  others: Partial<Env> & Readonly<Record<string, unknown>> = {},
): Env {
  const absent = Object.fromEntries(ALL.slice(count).map((name) => [name, undefined]));
  return Object.assign({ ...env }, absent, others);
}

/** Wraps each call of a database: receives the statements, and continues the call. */
type Through = <T>(statements: readonly string[], call: () => Promise<T>) => Promise<T>;

/** Wraps a database in a function that may count, delay or fail its calls. */
export function databaseThrough(db: D1Database, through: Through): D1Database {
  const texts = new WeakMap<object, { readonly sql: string; readonly inner: D1PreparedStatement }>();
  const statement = (sql: string, inner: D1PreparedStatement): D1PreparedStatement => {
    const proxied = new Proxy(inner, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => statement(sql, target.bind(...values));
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => through([sql], () => Reflect.apply(value, target, args));
      },
    });
    texts.set(proxied, { sql, inner });
    return proxied;
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => statement(sql, target.prepare(sql));
      if (name !== "batch") return Reflect.get(target, name);
      return (statements: readonly D1PreparedStatement[]) => {
        const known = statements.map((each) => texts.get(each) ?? { sql: "", inner: each });
        return through(
          known.map(({ sql }) => sql),
          () => target.batch(known.map(({ inner }) => inner)),
        );
      };
    },
  });
}

/** Lets new accounts be created in these databases, and in no others. */
export async function takeNewAccounts(names: readonly string[]): Promise<void> {
  const first = database("DB");
  const sql = "INSERT INTO databases (name, bytes, added_at) VALUES (?1, 0, 0)";
  await first.batch([
    first.prepare("DELETE FROM databases"),
    ...names.map((name) => first.prepare(sql).bind(name)),
  ]);
}

/** Creates an account in a database, by `make`. */
export async function inDatabase<T>(name: string, make: () => Promise<T>): Promise<T> {
  const before = globalThis.booksOfTest;
  globalThis.booksOfTest = name;
  try {
    return await make();
  } finally {
    globalThis.booksOfTest = before;
  }
}

/** Sends a request with a credential to the Worker in an environment. */
export async function sendIn(
  environment: Env,
  credential: string,
  method: string,
  path: string,
  body?: unknown,
  further: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json", ...further };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const request = new Request(`https://api.test${path}`, init);
  return answerOf(await worker.fetch(request, environment, createExecutionContext()));
}

/** Returns all rows of an account in a database, by table; the ledger's without their ids, in their order. */
export async function rowsOf(name: string, accountId: string): Promise<Record<string, unknown[]>> {
  const rows = await Promise.all(
    MOVED_TABLES.map(async (table) => {
      const where =
        table === "accounts"
          ? "id = ?1"
          : table === "meter_events"
            ? "account_id = ?1 OR identifier = 'job_old_' || ?1"
            : "account_id = ?1";
      const order = table === "ledger" ? "id" : "1, 2";
      const { results } = await database(name)
        .prepare(`SELECT * FROM ${table} WHERE ${where} ORDER BY ${order}`)
        .bind(accountId)
        .all();
      return [table, results.map(({ id, ...row }) => (table === "ledger" ? row : { id, ...row }))] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** Returns the databases in which an account has any row. */
export async function databasesWith(accountId: string): Promise<string[]> {
  const used = ALL.slice(0, globalThis.databasesInUse);
  const counts = await Promise.all(
    used.map(async (name) => {
      const count = await home.platform.at(name).transits.count(accountId);
      return Object.values(count).some((n) => n > 0);
    }),
  );
  return used.filter((_, i) => counts[i]);
}
