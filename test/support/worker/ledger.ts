import { checkLedger } from "../../../scripts/admin/ledger-check.ts";
import type { Fund, JobCost } from "../../../src/billing/rules/ledger.ts";
import { newId } from "../../../src/shared/ids.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { database } from "./database.ts";
import { home } from "./databases.ts";
import { listedJobs } from "./jobs.ts";

/** A job's entries in the order in which they were written: kind and units. */
export async function entriesOf(jobId: string): Promise<[kind: string, units: number][]> {
  const { results } = await home.DB.prepare("SELECT kind, units FROM ledger WHERE job_id = ?1 ORDER BY id")
    .bind(jobId)
    .all<{ kind: string; units: number }>();
  return results.map(({ kind, units }) => [kind, units]);
}

/** How many entries the ledger has. */
export const ledgerSize = async (): Promise<number> =>
  (await home.DB.prepare("SELECT count(*) AS n FROM ledger").first<number>("n")) ?? 0;

/** What the operator's check of the ledger finds; nothing if it agrees with the jobs and the metered use. */
export const ledgerFindings = async (): Promise<unknown> =>
  (await checkLedger(database, 1_000_000, Date.now())).findings;

/** What jobs leave behind: rows of the list and entries of the ledger. A refused job leaves none. */
export const traces = async (): Promise<{ jobs: number; entries: number }> => ({
  jobs: await listedJobs(),
  entries: await ledgerSize(),
});

/** Books tokens that an account used of its trial in an earlier job, which began at `at` (epoch ms). */
export async function useTokens(accountId: string, units: number, at = Date.now()): Promise<void> {
  const jobId = `job_earlier_${crypto.randomUUID()}`;
  await home.DB.batch(
    ["reserve", "settle"].map((kind) =>
      home.DB.prepare(
        "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, ?3, 'trial', ?4, ?5)",
      ).bind(accountId, jobId, kind, units, at),
    ),
  );
}

/** The cost of a job that succeeded. */
export const costOf = (units: number): JobCost => ({ usedUnits: units, processedUnits: units, files: units });

/** A job that an account was charged for, by the same transactions as every job; it is listed. Returns its id. */
export async function settledJob(
  accountId: string,
  {
    units,
    fund,
    endedAt,
    jobId = newId("job"),
  }: { units: number; fund: Fund; endedAt: number; jobId?: string },
): Promise<string> {
  const jobs = new Jobs(home.DB);
  await jobs.insert(
    {
      jobId,
      accountId,
      type: "image",
      processingMode: "batch",
      lane: "bulk",
      prompts: ["cat"],
      threshold: 0.5,
      maskThreshold: 0.5,
      generatePreview: false,
      taskIds: Array.from({ length: Math.max(1, units) }, (_, i) => `${i}.png`),
      createdAt: endedAt,
    },
    {
      maxActiveJobs: 1_000_000,
      maxTrialBacklog: 1_000_000,
      maxUnitsPerDay: null,
      maxTasksPerDay: 100_000_000,
      maxMeteredUnits: null,
      files: 1,
      maxFilesPerDay: 1_000_000_000,
      units: Math.max(1, units),
      fund,
      offer: { version: "v1", tokens: 1_000_000, days: 1_000 },
    },
  );
  await jobs.project({
    jobId,
    version: 2,
    status: "success",
    error: null,
    updatedAt: endedAt,
    cost: costOf(units),
  });
  return jobId;
}

/** Books units that a paying account reserved in an earlier job, which was accepted at `at` (epoch ms). */
export async function useUnits(accountId: string, units: number, at: number): Promise<void> {
  await home.DB.prepare(
    "INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, ?2, 'reserve', 'paid', ?3, ?4)",
  )
    .bind(accountId, `job_earlier_${crypto.randomUUID()}`, units, at)
    .run();
}

/** Makes an account a customer at the payment provider. */
export async function makeCustomer(
  accountId: string,
  subscriptionStatus: string | null = null,
): Promise<string> {
  const customerId = `cus_${accountId}`;
  await home.DB.prepare(
    "INSERT INTO billing (account_id, customer_id, subscription_status, updated_at) VALUES (?1, ?2, ?3, 0)",
  )
    .bind(accountId, customerId, subscriptionStatus)
    .run();
  return customerId;
}
