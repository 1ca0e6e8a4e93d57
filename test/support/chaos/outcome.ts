import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { loadSecrets } from "../../../scripts/shared/state/secrets.ts";
import type { StateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { StripeState } from "../../../scripts/local/fakes/stripe/state.ts";
import { JobReport } from "../../../src/jobs/contract/job-report.ts";
import { mapPool } from "../../../src/shared/pool.ts";
import { queryDatabase } from "../stack/local-database.ts";

const AT_ONCE = 4;

/** Returns the reports of these jobs' JobObjects, in their order. */
export async function jobReports(
  state: StateFolder,
  baseUrl: string,
  jobIds: readonly string[],
): Promise<JobReport[]> {
  const { OPERATOR_TOKEN } = await loadSecrets(state);
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return mapPool(jobIds, AT_ONCE, async (jobId) => {
    const answer = await fetch(`${baseUrl}/internal/operator/jobs/${jobId}`, { headers });
    return JobReport.parse(await answer.json());
  });
}

/** Returns the findings of `npm run admin -- ledger-check`; empty if the ledger agrees. */
export async function ledgerFindings(state: StateFolder): Promise<unknown> {
  const args = [join("scripts", "operate", "admin.ts"), "ledger-check", "--json"];
  const options = { cwd: PROJECT_ROOT, env: { ...process.env, STATE_DIR: state.path } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(
    (error: unknown): { stdout: string } => Object(error),
  );
  return JSON.parse(stdout);
}

export async function settledUnits({ data }: StateFolder): Promise<Map<string, number>> {
  const rows = await queryDatabase(
    data,
    "SELECT account_id, sum(units) AS units FROM ledger WHERE kind = 'settle' GROUP BY account_id",
  );
  return new Map(rows.map((row) => [String(row["account_id"]), Number(row["units"])]));
}

/** Closes the hour's windows of metered usage before their time, and runs the cron that reports them. */
export async function reportUsageNow(state: StateFolder, baseUrl: string): Promise<void> {
  const database = await openLocalDatabase(state);
  await database.run(["UPDATE meter_events SET closes_at = 0 WHERE sent_at IS NULL"]);
  const cron = new URL("/cdn-cgi/local/scheduled", baseUrl);
  cron.searchParams.set("cron", "*/5 * * * *");
  await fetch(cron);
}

/** The units that Stripe's fake has metered, by account; each event's identifier only once. */
export async function meteredUnits({ billing }: StateFolder): Promise<Map<string, number>> {
  const { customers, uses } = StripeState.parse(JSON.parse(await readFile(billing, "utf8")));
  const accounts = new Map(customers.map(({ id, accountId }) => [id, accountId ?? ""]));
  const metered = new Map<string, number>();
  for (const { customer, units } of uses) {
    const accountId = accounts.get(customer) ?? "";
    metered.set(accountId, (metered.get(accountId) ?? 0) + units);
  }
  return metered;
}
