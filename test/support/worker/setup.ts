import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

/** One transaction: applyD1Migrations takes two for each migration. */
async function migrate(): Promise<void> {
  const queries = env.MIGRATIONS.flatMap((migration) => migration.queries);
  await env.DB.batch(queries.map((query) => env.DB.prepare(query)));
}

beforeEach(async () => {
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
