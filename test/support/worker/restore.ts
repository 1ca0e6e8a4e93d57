import { home } from "./databases.ts";

/** Puts the database back to before its jobs, as the restore of an older copy does. Its accounts and keys are older still. */
export async function loseJobs(): Promise<void> {
  const statements = [
    "DROP TRIGGER IF EXISTS ledger_is_not_erased",
    "DELETE FROM ledger",
    "DELETE FROM jobs",
    "DELETE FROM uploads",
    "DELETE FROM upload_bytes",
    "DELETE FROM daily_use",
    "DELETE FROM metered_use",
    "DELETE FROM trial_use",
    "DELETE FROM settled_units",
    "DELETE FROM usage_days",
  ];
  await home.DB.batch(statements.map((statement) => home.DB.prepare(statement)));
}
