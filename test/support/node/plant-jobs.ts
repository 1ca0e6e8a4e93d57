import { openLocalDatabase } from "../../../scripts/admin/database.ts";
import { sql } from "../../../scripts/admin/sql.ts";
import { stateFolder } from "../../../scripts/stack/state-folder.ts";

const MINUTE_MS = 60_000;

/** Lists so many ended jobs for an account, one for each minute before now. Nothing is left of their results. */
export async function plantJobs(stateDir: string, accountId: string, count: number): Promise<void> {
  const database = await openLocalDatabase(stateFolder(stateDir));
  const now = Date.now();
  await database.run([
    sql`INSERT INTO jobs (id, account_id, type, mode, total_items, status, version, created_at, updated_at)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})
        SELECT 'job_' || substr(${accountId}, 6, 24) || printf('%08x', i), ${accountId}, 'image',
               iif(i % 3 = 0, 'batch', 'single'), iif(i % 3 = 0, 12, 1), iif(i % 5 = 0, 'failed', 'success'), 2,
               ${now} - (${count} - i) * ${MINUTE_MS}, ${now} - (${count} - i) * ${MINUTE_MS}
        FROM n`,
  ]);
}
