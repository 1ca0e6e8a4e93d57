import type { DailyUse } from "../../core/billing/daily-use.ts";

export interface DailyUseRow {
  use_day: number;
  day_units: number;
  day_tasks: number;
}

/** The columns of a DailyUseRow, of the account ?1. Triggers of the ledger and of the list keep the table (migrations/0010). */
export const DAILY_USE = `
  coalesce((SELECT day FROM daily_use WHERE account_id = ?1), 0) AS use_day,
  coalesce((SELECT units FROM daily_use WHERE account_id = ?1), 0) AS day_units,
  coalesce((SELECT tasks FROM daily_use WHERE account_id = ?1), 0) AS day_tasks`;

export const dailyUseOf = (row: DailyUseRow): DailyUse => ({
  day: row.use_day,
  units: row.day_units,
  tasks: row.day_tasks,
});
