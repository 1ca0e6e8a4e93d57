import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { sql } from "../../../scripts/shared/database/sql.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";

const MINUTE_MS = 60_000;

/**
 * Lists this many ended jobs for an account, one for each minute before now, and books them: other tests check the books of all
 * accounts. Their results do not exist.
 */
export async function plantJobs(stateDir: string, accountId: string, count: number): Promise<void> {
  const database = await openLocalDatabase(stateFolder(stateDir));
  const now = Date.now();
  const prefix = `job_${accountId.slice("acct_".length).slice(0, 24)}`;
  const book = (kind: string, units: string): string =>
    `${sql`INSERT INTO ledger (account_id, job_id, kind, fund, units, at) SELECT account_id, id, ${kind}, 'paid', `}
     ${units}, ${sql`updated_at FROM jobs WHERE account_id = ${accountId} AND id >= ${prefix} AND id < ${`${prefix}g`}`}`;
  await database.run([
    sql`INSERT INTO jobs (id, account_id, type, mode, lane, total_items, status, version, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})
        SELECT ${prefix} || printf('%08x', i), ${accountId}, 'image',
               iif(i % 3 = 0, 'batch', 'single'), 'bulk', iif(i % 3 = 0, 12, 1), iif(i % 5 = 0, 'failed', 'success'), 2,
               ${now} - (${count} - i) * ${MINUTE_MS}, ${now} - (${count} - i) * ${MINUTE_MS}
        FROM n`,
    book("reserve", "total_items"),
    book("settle", "iif(status = 'success', total_items, 0)"),
    book("release", "iif(status = 'failed', total_items, 0)"),
  ]);
}
