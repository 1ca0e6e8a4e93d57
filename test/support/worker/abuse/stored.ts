import { env } from "cloudflare:workers";
import { home } from "../runtime/databases.ts";
import type { PretendedSizes } from "./outside.ts";

/** The operator's stored data at a moment: rows by table, bytes in the bucket. */
export type Stored = Readonly<Record<string, number>>;

const TABLES = [
  "uploads",
  "upload_bytes",
  "jobs",
  "deleted_jobs",
  "ledger",
  "ledger_closings",
  "daily_use",
  "account_counts",
  "refused_inspections",
  "trial_use",
  "settled_units",
  "usage_days",
  "idempotency_keys",
  "api_keys",
  "billing",
  "billing_sessions",
  "webhook_tests",
  "metered_use",
  "ended_subscriptions",
  "former_customers",
  "stripe_events",
  "meter_events",
  "dead_letters",
  "webhook_endpoints",
  "accounts",
] as const;

function kindOf(key: string): string {
  if (key.startsWith("inputs/")) return "bytes of inputs";
  return /^(outputs|archives)\//.test(key) ? "bytes of outputs and archives" : "bytes of closed books";
}

/** Reads the database and the bucket. Inputs count with their pretended size. */
export async function storedNow(sizes: PretendedSizes): Promise<Stored> {
  const counts = await home.DB.batch<{ n: number }>(
    TABLES.map((table) => home.DB.prepare(`SELECT count(*) AS n FROM ${table}`)),
  );
  const found: Record<string, number> = {
    "bytes of inputs": 0,
    "bytes of outputs and archives": 0,
    "bytes of closed books": 0,
  };
  for (const [i, table] of TABLES.entries()) found[`rows of ${table}`] = counts[i]?.results[0]?.n ?? 0;
  let cursor: string | undefined;
  do {
    const page = await env.MEDIA.list(cursor === undefined ? {} : { cursor });
    for (const { key, size } of page.objects) {
      const kind = kindOf(key);
      found[kind] = (found[kind] ?? 0) + (sizes.get(key) ?? size);
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return found;
}

/** Returns the additions since then. Sweeping older data does not count. */
export const since = (stored: Stored, before: Stored): Stored =>
  Object.fromEntries(
    Object.entries(stored).map(([what, amount]) => [what, Math.max(0, amount - (before[what] ?? 0))]),
  );

/** Returns the larger value of each. */
export const mostOf = (one: Stored, other: Stored): Stored =>
  Object.fromEntries(Object.entries(other).map(([what, amount]) => [what, Math.max(amount, one[what] ?? 0)]));

/** Counts these jobs' objects that still know their job. */
export async function objectsLeft(jobIds: Iterable<string>): Promise<number> {
  let left = 0;
  for (const jobId of jobIds) if ((await env.JOBS.getByName(jobId).report()) !== null) left += 1;
  return left;
}
