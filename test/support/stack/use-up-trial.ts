import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { sql } from "../../../scripts/shared/database/sql.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";

/**
 * Books a person's whole trial, 100 tokens, as used by one earlier job. The books agree: other tests check those of all accounts.
 */
export async function useUpTrial(stateDir: string, email: string): Promise<void> {
  const database = await openLocalDatabase(stateFolder(stateDir));
  const jobId = `job_earlier_${crypto.randomUUID()}`;
  const book = (kind: string, units: number): string =>
    sql`INSERT INTO ledger (account_id, job_id, kind, fund, units, at)
        SELECT id, ${jobId}, ${kind}, 'trial', ${units}, ${Date.now()} FROM accounts WHERE email = ${email}`;
  await database.run([book("reserve", 100), book("settle", 100), book("release", 0)]);
}
