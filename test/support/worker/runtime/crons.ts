import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Env } from "../../../../src/env.ts";
import worker from "../../../../src/index.ts";
import { platformOf } from "../../../../src/platform.ts";
import { deliverIn } from "../fakes/inference.ts";

/** The crons of wrangler.toml by their work. */
export const CRONS = { report: "*/5 * * * *", sweep: "17 * * * *", nightly: "43 3 * * *" } as const;

/** Runs the work of a cron in one database, as the queue requests it. */
export const runUpkeep = (cron: string, database: string, environment: Env = env) =>
  deliverIn(environment, "segmentation-upkeep", { v: 1, cron, database });

/** Runs the Worker's cron, and then its work in each database: the queue of the tests delivers nothing. */
export async function runCron(cron: string, environment: Env = env): Promise<void> {
  await worker.scheduled(createScheduledController({ cron }), environment);
  const { databases } = platformOf(environment);
  await Promise.all(databases.map((database) => runUpkeep(cron, database, environment)));
}

/** Collects the log lines from now on. */
export function logged(): () => Record<string, unknown>[] {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)));
}
