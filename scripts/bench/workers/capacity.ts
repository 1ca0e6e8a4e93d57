import { z } from "zod";
import service, { JobObject as ServedJobObject } from "../../../src/index.ts";
import { observeLines } from "../../../src/shared/log.ts";
import { pointOf } from "../../../src/shared/metrics.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { databasesOf, type Env } from "../../../src/env.ts";
import { JobStorage } from "../../../src/jobs/store/storage.ts";
import { SqlRequest } from "../../shared/database/storage-calls.ts";

export { AccountStreams, InferenceGateway } from "../../../src/index.ts";

/** Runs the whole service in the Workers runtime, and counts its use of the platform. */

/** The counts so far; `sqlMs` is the time that the databases report. */
const use = {
  requests: 0,
  calls: 0,
  rowsRead: 0,
  rowsWritten: 0,
  sqlMs: 0,
  messages: 0,
  events: 0,
  objectRequests: 0,
  objectRowsWritten: 0,
  objectBytes: 0,
  bucketReads: 0,
  logLines: 0,
  logBytes: 0,
  points: 0,
};

const Answers = z.array(
  z.object({ meta: z.object({ rows_read: z.int(), rows_written: z.int(), duration: z.number() }) }),
);

/** Counts a call of a database, once it is answered. */
function countCall(answer: unknown): void {
  if (!(answer instanceof Promise)) throw new Error("a call of a database gives a promise");
  answer.then(
    (results) => {
      use.calls += 1;
      for (const { meta } of Answers.parse([results].flat())) {
        use.rowsRead += meta.rows_read;
        use.rowsWritten += meta.rows_written;
        use.sqlMs += meta.duration;
      }
      return results;
    },
    () => undefined,
  );
}

/** Calls `count` with the results of some methods of a prototype, at each call. */
function countMethods(prototype: object, names: readonly string[], count: (answer: unknown) => void): void {
  for (const name of names) {
    const method: unknown = Reflect.get(prototype, name);
    if (typeof method !== "function") throw new Error(`there is no method ${name}`);
    Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
      const answer: unknown = Reflect.apply(method, this, args);
      count(answer);
      return answer;
    });
  }
}

/** Counts every call of every database from now on. Returns a batch that it does not count. */
function countCalls(
  db: D1Database,
): (on: D1Database, statements: D1PreparedStatement[]) => Promise<D1Result[]> {
  const statement: D1PreparedStatement = Object.getPrototypeOf(db.prepare("SELECT 1"));
  const database: D1Database = Object.getPrototypeOf(db);
  // oxlint-disable-next-line typescript/unbound-method -- called with the object itself below
  const { batch } = database;
  countMethods(statement, ["all", "run"], countCall);
  countMethods(database, ["batch"], countCall);
  // `first` does not report its cost, so this runs `all`.
  statement.first = async function (this: D1PreparedStatement, column?: string) {
    const row = (await this.all()).results[0] ?? null;
    return column === undefined || row === null ? row : row[column];
  };
  return (on, statements) => batch.call(on, statements);
}

const methodsOf = ({ prototype }: { readonly prototype: object }): string[] =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
// Each external call of a method, each fetch and each alarm is a request to the object.
countMethods(ServedJobObject.prototype, methodsOf(ServedJobObject), () => (use.objectRequests += 1));
// A value and an alarm are one row each.
countMethods(JobStorage.prototype, ["save"], () => (use.objectRowsWritten += 2));
countMethods(JobStorage.prototype, ["saveOutput"], () => (use.objectRowsWritten += 1));

console.log = (line: string) => {
  use.logLines += 1;
  use.logBytes += line.length;
};
observeLines((level, event, fields) => {
  if (pointOf(level, event, fields) !== null) use.points += 1;
  if (level === "error") console.error(event, fields);
});

/** The service's object, which adds up its size when its job's result is requested. */
export class JobObject extends ServedJobObject {
  override resultPage(
    ...args: Parameters<ServedJobObject["resultPage"]>
  ): ReturnType<ServedJobObject["resultPage"]> {
    if (args[1] === 0) use.objectBytes += this.ctx.storage.sql.databaseSize;
    return super.resultPage(...args);
  }
}

interface BenchEnv extends Env {
  readonly UPLOADS_QUEUE: Queue;
}

const Command = z.discriminatedUnion("do", [
  z.object({ do: z.literal("open"), statements: z.array(z.string()) }),
  z.object({ do: z.literal("use"), databases: z.int() }),
  z.object({ do: z.literal("sql"), ...SqlRequest.shape }),
  z.object({ do: z.literal("put"), accountId: z.string(), taskId: z.string(), bytes: z.array(z.int()) }),
  z.object({ do: z.literal("counts") }),
]);

let uncounted: ReturnType<typeof countCalls> | undefined;
/** The environment with the databases that are in use. */
let served: Env | undefined;

async function obey(env: BenchEnv, command: z.infer<typeof Command>): Promise<unknown> {
  const databases = databasesOf(env);
  switch (command.do) {
    case "open":
      for (const db of databases.values()) await db.batch(command.statements.map((sql) => db.prepare(sql)));
      uncounted = countCalls(env.DB);
      countMethods(Object.getPrototypeOf(env.MEDIA), ["get", "head"], () => (use.bucketReads += 1));
      return null;
    case "use": {
      const others = [...databases.keys()].slice(command.databases);
      served = Object.assign({ ...env }, Object.fromEntries(others.map((name) => [name, undefined])));
      return null;
    }
    case "sql": {
      const db = databases.get(command.database);
      if (db === undefined || uncounted === undefined) throw new Error(`no database ${command.database}`);
      const results = await uncounted(
        db,
        command.statements.map((sql) => db.prepare(sql)),
      );
      return { rows: results.map((each) => each.results), bytes: results.at(-1)?.meta.size_after };
    }
    case "put": {
      const key = inputKey(command.accountId, command.taskId);
      const stored = await env.MEDIA.put(key, new Uint8Array(command.bytes));
      const eventTime = new Date().toISOString();
      const object = { key, size: stored?.size, eTag: stored?.etag };
      await env.UPLOADS_QUEUE.send({ bucket: "segmentation-media", action: "PutObject", object, eventTime });
      return null;
    }
    case "counts":
      return use;
  }
}

export default {
  async fetch(request: Request, env: BenchEnv, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/")
      return Response.json(await obey(env, Command.parse(await request.json())));
    use.requests += 1;
    return service.fetch(request, served ?? env, context);
  },
  async queue(batch: MessageBatch, env: BenchEnv): Promise<void> {
    use.requests += 1;
    use.messages += batch.messages.length;
    await service.queue(batch, served ?? env);
    if (batch.queue.endsWith("-uploads")) use.events += batch.messages.length;
  },
};
