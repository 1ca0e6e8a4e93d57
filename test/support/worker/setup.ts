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

/** One transaction: applyD1Migrations takes two for each migration. */
async function migrate(): Promise<void> {
  const queries = env.MIGRATIONS.flatMap((migration) => migration.queries);
  await env.DB.batch(queries.map((query) => env.DB.prepare(query)));
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
