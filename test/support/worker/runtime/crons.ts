import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Env } from "../../../../src/env.ts";
import worker from "../../../../src/index.ts";
import { platformOf } from "../../../../src/platform.ts";
import { deliverIn } from "../fakes/inference.ts";

/** The crons of wrangler.toml by what they do. */
export const CRONS = { report: "*/5 * * * *", sweep: "17 * * * *", nightly: "43 3 * * *" } as const;

/** Does what a cron is for in one database, as the queue asks for it. */
export const runUpkeep = (cron: string, database: string, environment: Env = env) =>
  deliverIn(environment, "segmentation-upkeep", { v: 1, cron, database });

/** Runs what the Worker does at a cron, and then in each database: the queue of the tests delivers to nobody. */
export async function runCron(cron: string, environment: Env = env): Promise<void> {
  await worker.scheduled(createScheduledController({ cron }), environment);
  const { databases } = platformOf(environment);
  await Promise.all(databases.map((database) => runUpkeep(cron, database, environment)));
}

/** What is logged from now on. */
export function logged(): () => Record<string, unknown>[] {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)));
}
