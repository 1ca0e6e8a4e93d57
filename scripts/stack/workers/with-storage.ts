import { Hono } from "hono";
import type { Env } from "../../../src/env.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { respondWithError } from "../../../src/http/errors.ts";
import { authenticateOperator } from "../../../src/http/middleware/authenticate.ts";
import { requestLog } from "../../../src/http/middleware/request-log.ts";
import { readCallback } from "../../../src/http/read-request.ts";
import { platformOf } from "../../../src/platform.ts";
import { OBJECT_PATH, ObjectRequest, Row, SQL_PATH, SqlRequest } from "../storage-calls.ts";

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
    const { DB } = c.env;
    const { statements: texts } = await readCallback(c, SqlRequest);
    const statements = texts.map((statement) => DB.prepare(statement));
    return c.json({ results: (await DB.batch(statements)).map(({ results }) => Row.array().parse(results)) });
  })
  .post(OBJECT_PATH, async (c) => {
    const { key } = await readCallback(c, ObjectRequest);
    const object = await c.env.MEDIA.get(key);
    return c.json({ text: object === null ? null : await object.text() });
  });

interface Served {
  readonly fetch: (request: Request, env: Env, context: ExecutionContext) => Response | Promise<Response>;
}

/**
 * A Worker of a local stack: the given one, whose operator's API has two more calls (storage-calls.ts), because no other
 * process may open the files of its database and its bucket. Never deployed.
 */
export const withStorage = <Worker extends Served>(worker: Worker): Worker => ({
  ...worker,
  fetch: (request: Request, env: Env, context: ExecutionContext) =>
    (PATHS.has(new URL(request.url).pathname) ? storage : worker).fetch(request, env, context),
});
