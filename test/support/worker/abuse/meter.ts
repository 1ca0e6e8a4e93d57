import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import { home } from "../runtime/databases.ts";

/** The cause of a cost: one of the two attackers; the crons, which clean up after them; or the test, which only reads. */
export type Payer = "account" | "stranger" | "crons" | "test";

export interface Costs {
  requests: number;
  /** Round trips: a statement, or a batch. */
  d1Calls: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  /** Maximum rows that one statement or batch read. */
  d1MostRead: number;
  /** R2's operations of class A (writes and lists) and class B (reads); deletions are free. */
  r2ClassA: number;
  r2ClassB: number;
  /** Reads of the bucket for refused jobs. */
  readsInVain: number;
  stripeCalls: number;
  identityCalls: number;
  tasksOffered: number;
  /** Maximum number of streams that one job held open. */
  mostStreams: number;
  logLines: number;
}

const none = (): Costs => ({
  requests: 0,
  d1Calls: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  d1MostRead: 0,
  r2ClassA: 0,
  r2ClassB: 0,
  readsInVain: 0,
  stripeCalls: 0,
  identityCalls: 0,
  tasksOffered: 0,
  mostStreams: 0,
  logLines: 0,
});

const CLASS_A = ["put", "list", "createMultipartUpload"] as const;
const CLASS_B = ["get", "head"] as const;

/** Counts the calls of the real database, bucket and log by account. The spies count and pass on; they end with the test. */
export class Meter {
  readonly of: Readonly<Record<Payer, Costs>> = {
    account: none(),
    stranger: none(),
    crons: none(),
    test: none(),
  };
  #payer: Payer = "test";

  constructor() {
    this.#watchDatabase();
    this.#watchBucket();
    vi.spyOn(console, "log").mockImplementation(() => {
      this.now.logLines += 1;
    });
  }

  /** The costs of the current account. */
  get now(): Costs {
    return this.of[this.#payer];
  }

  /** Runs `act` at this payer's cost. */
  async at<T>(payer: Payer, act: () => Promise<T>): Promise<T> {
    const before = this.#payer;
    this.#payer = payer;
    try {
      return await act();
    } finally {
      this.#payer = before;
    }
  }

  #count(results: readonly D1Result[]): void {
    this.now.d1Calls += 1;
    const read = results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
    this.now.d1RowsRead += read;
    this.now.d1RowsWritten += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
    this.now.d1MostRead = Math.max(this.now.d1MostRead, read);
  }

  #watchDatabase(): void {
    const count = (result: D1Result): void => this.#count([result]);
    const statement: D1PreparedStatement = Object.getPrototypeOf(home.DB.prepare("SELECT 1"));
    // oxlint-disable-next-line typescript/unbound-method -- called with the object itself below
    const { all, run } = statement;
    const database: D1Database = Object.getPrototypeOf(home.DB);
    // oxlint-disable-next-line typescript/unbound-method -- called with the object itself below
    const { batch } = database;
    vi.spyOn(statement, "all").mockImplementation(async function <T>(this: D1PreparedStatement) {
      const result = await all.call<D1PreparedStatement, [], Promise<D1Result<T>>>(this);
      count(result);
      return result;
    });
    vi.spyOn(statement, "run").mockImplementation(async function <T>(this: D1PreparedStatement) {
      const result = await run.call<D1PreparedStatement, [], Promise<D1Result<T>>>(this);
      count(result);
      return result;
    });
    // `first` does not report its cost, so this runs `all`.
    vi.spyOn(statement, "first").mockImplementation(async function (
      this: D1PreparedStatement,
      column?: string,
    ) {
      const { results } = await this.all();
      const row = results[0] ?? null;
      return column === undefined || row === null ? row : row[column];
    });
    const countAll = (results: readonly D1Result[]): void => this.#count(results);
    vi.spyOn(database, "batch").mockImplementation(async function <T>(
      this: D1Database,
      statements: D1PreparedStatement[],
    ) {
      const results = await batch.call<D1Database, [D1PreparedStatement[]], Promise<D1Result<T>[]>>(
        this,
        statements,
      );
      countAll(results);
      return results;
    });
  }

  #watchBucket(): void {
    const bucket: R2Bucket = Object.getPrototypeOf(env.MEDIA);
    const count = (kind: "r2ClassA" | "r2ClassB"): void => {
      this.now[kind] += 1;
    };
    for (const [names, kind] of [
      [CLASS_A, "r2ClassA"],
      [CLASS_B, "r2ClassB"],
    ] as const) {
      for (const name of names) {
        const asked: unknown = Reflect.get(bucket, name);
        if (typeof asked !== "function") throw new Error(`the bucket has no ${name}`);
        Reflect.set(bucket, name, function (this: R2Bucket, ...args: unknown[]) {
          count(kind);
          return Reflect.apply(asked, this, args);
        });
        onTestFinished(() => void Reflect.set(bucket, name, asked));
      }
    }
  }
}
