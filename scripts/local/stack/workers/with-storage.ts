import { Hono } from "hono";
import { ServiceError } from "../../../../src/shared/errors.ts";
import { databasesOf, type Env } from "../../../../src/env.ts";
import type { AppEnv } from "../../../../src/http/context.ts";
import { respondWithError } from "../../../../src/http/errors.ts";
import { authenticateOperator } from "../../../../src/http/middleware/authenticate.ts";
import { requestLog } from "../../../../src/http/middleware/request-log.ts";
import { readCallback } from "../../../../src/http/read-request.ts";
import { platformOf } from "../../../../src/platform.ts";
import { EVENT_KEY_HEADER, EVENT_PATH } from "../bucket-events.ts";
import {
  OBJECT_PATH,
  ObjectRequest,
  Row,
  SQL_PATH,
  SqlRequest,
} from "../../../shared/database/storage-calls.ts";

const PREFIX = "/internal/operator";
const PATHS: ReadonlySet<string> = new Set([SQL_PATH, OBJECT_PATH].map((path) => PREFIX + path));

const storage = new Hono<AppEnv>()
  .basePath(PREFIX)
  .use(requestLog)
  .use(async (c, next) => {
    c.set("platform", () => platformOf(c.env));
    await next();
  })
  .onError(respondWithError)
  .use(authenticateOperator)
  .post(SQL_PATH, async (c) => {
    const { database, statements: texts } = await readCallback(c, SqlRequest);
    const db = databasesOf(c.env).get(database);
    if (db === undefined) throw new ServiceError("not_found", `There is no database ${database}.`);
    const statements = texts.map((statement) => db.prepare(statement));
    return c.json({ results: (await db.batch(statements)).map(({ results }) => Row.array().parse(results)) });
  })
  .post(OBJECT_PATH, async (c) => {
    const { key } = await readCallback(c, ObjectRequest);
    const object = await c.env.MEDIA.get(key);
    return c.json({ text: object === null ? null : await object.text() });
  });

/** The additions of worker-main.ts to the environment, with which it can send the bucket's events. */
interface FakeBucket {
  readonly UPLOADS_QUEUE?: Queue;
  readonly BUCKET_EVENTS_KEY?: string;
}

/** Puts an event of the bucket into the queue to which R2 would send it. */
async function takeEvent(request: Request, env: Env & FakeBucket): Promise<Response> {
  const { UPLOADS_QUEUE: queue, BUCKET_EVENTS_KEY: key } = env;
  const isFake = key !== undefined && request.headers.get(EVENT_KEY_HEADER) === key;
  if (queue === undefined || !isFake) return new Response(null, { status: 404 });
  await queue.send(await request.json());
  return new Response(null, { status: 204 });
}

interface Served {
  readonly fetch: (request: Request, env: Env, context: ExecutionContext) => Response | Promise<Response>;
}

/**
 * Returns the Worker of a local stack. The operator's API of the given Worker gets two more calls (storage-calls.ts), because no
 * other process may open the files of its database and its bucket, and one for that bucket's events. Never deployed.
 */
export const withStorage = <Worker extends Served>(worker: Worker): Worker => ({
  ...worker,
  fetch: (request: Request, env: Env, context: ExecutionContext) => {
    const { pathname } = new URL(request.url);
    if (pathname === EVENT_PATH) return takeEvent(request, env);
    return (PATHS.has(pathname) ? storage : worker).fetch(request, env, context);
  },
});
