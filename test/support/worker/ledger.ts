import { env } from "cloudflare:workers";
import { listedJobs } from "./jobs.ts";

/** A job's entries in the order in which they were written: kind and units. */
export async function entriesOf(jobId: string): Promise<[kind: string, units: number][]> {
  const { results } = await env.DB.prepare("SELECT kind, units FROM ledger WHERE job_id = ?1 ORDER BY id")
    .bind(jobId)
    .all<{ kind: string; units: number }>();
  return results.map(({ kind, units }) => [kind, units]);
}

/** How many entries the ledger has. */
export const ledgerSize = async (): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM ledger").first<number>("n")) ?? 0;

/** What jobs leave behind: rows of the list and entries of the ledger. A refused job leaves none. */
export const traces = async (): Promise<{ jobs: number; entries: number }> => ({
  jobs: await listedJobs(),
  entries: await ledgerSize(),
});

/** Books tokens that an account used of its trial in an earlier job, which began at `at` (epoch ms). */
export async function useTokens(accountId: string, units: number, at = Date.now()): Promise<void> {
  const jobId = `job_earlier_${crypto.randomUUID()}`;
  await env.DB.batch(
    ["reserve", "settle"].map((kind) =>
      env.DB.prepare(
        "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, ?3, 'trial', ?4, ?5)",
      ).bind(accountId, jobId, kind, units, at),
    ),
  );
}

/** Makes an account a customer at the payment provider. */
export async function makeCustomer(
  accountId: string,
  subscriptionStatus: string | null = null,
): Promise<string> {
  const customerId = `cus_${accountId}`;
  await env.DB.prepare(
    "INSERT INTO billing (account_id, customer_id, subscription_status, updated_at) VALUES (?1, ?2, ?3, 0)",
  )
    .bind(accountId, customerId, subscriptionStatus)
    .run();
  return customerId;
}
