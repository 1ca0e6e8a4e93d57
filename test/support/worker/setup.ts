import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { forgetPlatforms } from "../../../src/platform.ts";
import { differences, sharedWorld } from "../shared-world.ts";

/** With the Worker's settings and bindings. */
const workersWorld = () =>
  sharedWorld(Object.fromEntries(Object.entries(env).map(([name, value]) => [`env.${name}`, value])));

/** As the file before left it. */
const world = workersWorld();

/** What the migrations make of an empty database, as one statement; null until they have run once. */
let schema: string | null = null;

/** One transaction for all migrations, where applyD1Migrations takes two for each; from then on, only what they came to. */
async function migrate(): Promise<void> {
  if (schema !== null) {
    await env.DB.prepare(schema).run();
    return;
  }
  const queries = env.MIGRATIONS.flatMap((migration) => migration.queries);
  await env.DB.batch(queries.map((query) => env.DB.prepare(query)));
  const { results } = await env.DB.prepare(
    `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END`,
  ).all<{ sql: string }>();
  schema = results.map(({ sql }) => sql).join(";\n");
}

beforeEach(async () => {
  forgetPlatforms();
  try {
    await migrate();
  } catch {
    // What the test before had left under way kept the database from being reset.
    await reset();
    await migrate();
  }
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

afterAll(() => {
  expect(differences(world, workersWorld()), "what this file leaves changed").toEqual([]);
});
