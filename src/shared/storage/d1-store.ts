import { numbered, type NamedValues, type SqlValue } from "./named-values.ts";

/** The values of a statement: ?1, ?2, … in their order, and `:name` if they have names (named-values.ts). */
export type SqlValues = readonly SqlValue[] | NamedValues;

const isNamed = (values: SqlValues): values is NamedValues => !Array.isArray(values);

/** Runs statements in one round trip and one transaction: a database, or a preflight of it (preflight.ts). */
export type Batching = Pick<D1Database, "batch">;

/**
 * A store's query, as statements, so that several stores can share one round trip; `read` makes the answer from their results.
 */
export interface Query<Answer> {
  readonly statements: readonly D1PreparedStatement[];
  read(results: readonly D1Result[]): Answer;
}

/** Combines two queries into one. */
export const together = <A, B>(a: Query<A>, b: Query<B>): Query<readonly [A, B]> => ({
  statements: [...a.statements, ...b.statements],
  read: (results) => [
    a.read(results.slice(0, a.statements.length)),
    b.read(results.slice(a.statements.length)),
  ],
});

/** Runs a query in one round trip. */
export const ask = async <Answer>(db: Batching, query: Query<Answer>): Promise<Answer> =>
  query.read(await db.batch([...query.statements]));

/** SQL for true if an account (an SQL expression) is not being moved: work for all accounts skips moving ones. */
export const atHome = (account = "account_id"): string =>
  `${account} NOT IN (SELECT account_id FROM in_transit)`;

/** The base of the stores in D1: runs one statement with its values. More than about six have names. */
export abstract class D1Store {
  protected readonly db: D1Database;

  constructor(db: D1Database) {
    this.db = db;
  }

  /** A statement for a batch. */
  protected statement(sql: string, values: SqlValues = []): D1PreparedStatement {
    const [text, ...bound] = isNamed(values) ? numbered(sql, values) : [sql, ...values];
    return this.db.prepare(text).bind(...bound);
  }

  /** All rows of the result. */
  protected async all<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.statement(sql, values).all<Row>()).results;
  }

  /** The values of a result that has one column. */
  protected async values<Value extends SqlValue>(sql: string, values: readonly SqlValue[]): Promise<Value[]> {
    const rows = await this.all<Record<string, Value>>(sql, values);
    return rows.flatMap((row) => Object.values(row));
  }

  /** The first row of the result; null if there is none. */
  protected first<Row>(sql: string, values: SqlValues): Promise<Row | null> {
    return this.statement(sql, values).first<Row>();
  }

  /** The row of a statement that always returns one, such as a count. */
  protected async one<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row> {
    return present((await this.all<Row>(sql, values))[0]);
  }

  /** Runs a statement. Returns the number of rows that it and its triggers changed. */
  protected async run(sql: string, values: SqlValues): Promise<number> {
    return (await this.statement(sql, values).run()).meta.changes;
  }

  /** The statement that deletes the rows of a table whose column has one of these values. */
  protected deletion(table: string, column: string, values: readonly string[]): D1PreparedStatement {
    return this.statement(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?1))`, [
      JSON.stringify(values),
    ]);
  }

  /**
   * Deletes some rows of a table. Returns how many.
   * @param key the columns of the table's primary key
   * @param where a condition that ends with the LIMIT
   */
  protected deleteSome(
    table: string,
    key: string,
    where: string,
    values: readonly SqlValue[],
  ): Promise<number> {
    return this.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where})`,
      values,
    );
  }
}

/** The row of a statement in a batch that always returns one. */
export function present<Row>(row: Row | null | undefined): Row {
  if (row === null || row === undefined)
    throw new Error("a statement that always returns a row returned none");
  return row;
}

/** Time that a request waits for another database: it must not depend on it. */
const PATIENCE_MS = 500;

/** Returns the answer of another database than the request's; null if it fails, or does not answer within `patienceMs`. */
export async function ofAnother<T>(answer: Promise<T>, patienceMs = PATIENCE_MS): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), patienceMs);
  try {
    return await Promise.race([answer, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
