import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { databasesOf } from "../../../../src/env.ts";
import { forgetPlatforms } from "../../../../src/platform.ts";
import { chooseDatabase } from "./databases.ts";
import { differences, sharedWorld } from "../../shared-world.ts";
import { endTestLog } from "./test-log.ts";

/** The shared state with the Worker's settings and bindings. */
const workersWorld = () =>
  sharedWorld(Object.fromEntries(Object.entries(env).map(([name, value]) => [`env.${name}`, value])));

/** The state that the previous file left. */
const world = workersWorld();

/** The schema that the migrations give an empty database, as one statement; null until they have run once. */
let schema: string | null = null;

/** Runs all migrations in one transaction, where applyD1Migrations takes two for each. Returns the resulting schema. */
async function schemaBy(db: D1Database): Promise<string> {
  const queries = env.MIGRATIONS.flatMap((migration) => migration.queries);
  await db.batch(queries.map((query) => db.prepare(query)));
  const { results } = await db
    .prepare(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END`,
    )
    .all<{ sql: string }>();
  return results.map(({ sql }) => sql).join(";\n");
}

/** Runs the migrations once, in one database: all others, and this one from then on, begin with the resulting schema. */
async function migrate(): Promise<void> {
  const databases = [...databasesOf(env).values()].slice(0, globalThis.databasesInUse);
  const [first] = databases;
  if (first === undefined) return;
  const isKnown = schema !== null;
  const made = (schema ??= await schemaBy(first));
  await Promise.all(databases.slice(isKnown ? 0 : 1).map((db) => db.prepare(made).run()));
}

/** Maximum number of resets of databases and bucket that unfinished work of the previous test may prevent. */
const MOST_RESETS = 5;

beforeEach(async ({ task }) => {
  forgetPlatforms();
  for (let resets = 0; ; resets += 1) {
    try {
      if ((await env.MEDIA.list({ limit: 1 })).objects.length > 0)
        throw new Error("The bucket is not empty.");
      await migrate();
      break;
    } catch (error) {
      // Unfinished work of the previous test prevented the reset of a database, or wrote into the bucket afterwards.
      if (resets === MOST_RESETS) throw error;
      await reset();
    }
  }
  await chooseDatabase(task.name);
});

afterEach(async ({ task }) => {
  endTestLog(task.result?.state === "fail");
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

afterAll(() => {
  expect(differences(world, workersWorld()), "what this file leaves changed").toEqual([]);
});
