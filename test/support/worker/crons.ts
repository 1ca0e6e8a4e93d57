import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import worker from "../../../src/index.ts";

/** The crons of wrangler.toml by what they do. */
export const CRONS = { report: "*/5 * * * *", sweep: "17 * * * *", nightly: "43 3 * * *" } as const;

/** Runs what the Worker does at a cron. */
export const runCron = (cron: string): Promise<void> =>
  worker.scheduled(createScheduledController({ cron }), env);

/** What is logged from now on. */
export function logged(): () => Record<string, unknown>[] {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)));
}
