import { slotOf, slotsAfter, type AccountUse } from "../rules/ledger.ts";
import type { UsagePeriod, UsedDay } from "../rules/usage.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

export interface AccountUseRow {
  active_jobs: number;
  active_job_id: string | null;
  used_tokens: number;
  started_at: number | null;
  use_day: number;
  day_units: number;
  day_tasks: number;
  day_files: number;
  metered_units: number;
  inspection_day: number;
  inspections: number;
}

/** The newest unfinished job of the account ?1: one read of the index jobs_by_status for each status and mode. */
const NEWEST_ACTIVE_JOB = `
  (SELECT max((SELECT max(id) FROM jobs WHERE account_id = ?1 AND status = s.value AND mode = m.value))
   FROM json_each('["queued", "processing"]') AS s, json_each('["single", "batch", "video"]') AS m)`;

/**
 * One row, an AccountUseRow, for the account ?1. Used tokens are those reserved and neither released nor voided. The trial began
 * with the first reservation that was not voided: a job that was never accepted does not start it. Triggers of the ledger and of
 * the list keep these sums (migrations/0001_schema.sql), so that reading them costs the same for any number of entries and jobs.
 */
export const ACCOUNT_USE = `
  SELECT coalesce((SELECT active_jobs FROM account_counts WHERE account_id = ?1), 0) AS active_jobs,
    ${NEWEST_ACTIVE_JOB} AS active_job_id,
    coalesce((SELECT used_tokens FROM trial_use WHERE account_id = ?1), 0) AS used_tokens,
    (SELECT started_at FROM trial_use WHERE account_id = ?1) AS started_at,
    coalesce((SELECT day FROM daily_use WHERE account_id = ?1), 0) AS use_day,
    coalesce((SELECT units FROM daily_use WHERE account_id = ?1), 0) AS day_units,
    coalesce((SELECT tasks FROM daily_use WHERE account_id = ?1), 0) AS day_tasks,
    coalesce((SELECT files FROM daily_use WHERE account_id = ?1), 0) AS day_files,
    coalesce((SELECT units FROM metered_use WHERE account_id = ?1), 0) AS metered_units,
    coalesce((SELECT day FROM refused_inspections WHERE account_id = ?1), 0) AS inspection_day,
    coalesce((SELECT inspections FROM refused_inspections WHERE account_id = ?1), 0) AS inspections`;

export const accountUseOf = (row: AccountUseRow): AccountUse => ({
  activeJobs: row.active_jobs,
  activeJobId: row.active_job_id,
  trial: { usedTokens: row.used_tokens, startedAt: row.started_at },
  daily: { day: row.use_day, units: row.day_units, tasks: row.day_tasks, files: row.day_files },
  meteredUnits: row.metered_units,
  refusedInspections: { day: row.inspection_day, inspections: row.inspections },
});

/** An account at the payment provider, as of the last webhook. */
export interface BillingState {
  readonly subscriptionStatus: string | null;
  /** Epoch milliseconds. */
  readonly currentPeriodEnd: number | null;
  readonly latestInvoiceStatus: string | null;
  /** True if an invoice is overdue. */
  readonly owes: boolean;
}

export interface AccountFigures {
  readonly use: AccountUse;
  /** Units of both funds that were settled since the requested time. */
  readonly settledUnits: number;
  /** Null if the account is not a customer. */
  readonly billing: BillingState | null;
}

interface FiguresRow extends AccountUseRow, Omit<BillingState, "owes"> {
  settledUnits: number;
  owes: number | null;
  customerId: string | null;
}

/**
 * The units of both funds that the account ?1 settled after ?2 (epoch ms). A trigger of the ledger keeps sums by slot; the
 * whole slots begin with slot ?3, at ?4 (epoch ms). The part of a slot before them is read entry by entry.
 */
export const SETTLED_UNITS = `
  (SELECT coalesce(sum(units), 0) FROM settled_units WHERE account_id = ?1 AND slot >= ?3)
  + (SELECT coalesce(sum(units), 0) FROM ledger
     WHERE account_id = ?1 AND fund IN ('trial', 'paid') AND kind = 'settle' AND at > ?2 AND at < ?4)`;

/** The ledger's sums of an account. The jobs' transactions write it, with the statements of settlement.ts. */
export class Ledger extends D1Store {
  /** An account's active jobs, and its usage of its trial and of its day. */
  async use(accountId: string): Promise<AccountUse> {
    return accountUseOf(await this.one<AccountUseRow>(ACCOUNT_USE, [accountId]));
  }

  /** An account's use, the units it settled since `since` (epoch ms), and its billing: one read. */
  async figures(accountId: string, since: number): Promise<AccountFigures> {
    const { firstWhole, wholeFrom } = slotsAfter(since);
    const row = await this.one<FiguresRow>(
      `SELECT account.*, b.customer_id AS customerId, b.subscription_status AS subscriptionStatus,
         b.current_period_end AS currentPeriodEnd, b.latest_invoice_status AS latestInvoiceStatus, b.owes,
         ${SETTLED_UNITS} AS settledUnits
       FROM (${ACCOUNT_USE}) AS account LEFT JOIN billing AS b ON b.account_id = ?1`,
      [accountId, since, firstWhole, wholeFrom],
    );
    const { settledUnits, customerId, subscriptionStatus, currentPeriodEnd, latestInvoiceStatus } = row;
    const billing = { subscriptionStatus, currentPeriodEnd, latestInvoiceStatus, owes: row.owes === 1 };
    return {
      use: accountUseOf(row),
      settledUnits,
      billing: customerId === null ? null : billing,
    };
  }

  /** Deletes up to `limit` sums of slots that ended before `before` (epoch ms); their entries stay. Returns how many. */
  purgeSettledUnits(before: number, limit: number): Promise<number> {
    const values = [slotOf(before), limit];
    return this.deleteSome("settled_units", "account_id, slot", "slot < ?1 LIMIT ?2", values);
  }

  /** The days of a period on which a job of the account ended: at most one row per day. A trigger writes them. */
  usageDays(accountId: string, { from, to }: UsagePeriod): Promise<UsedDay[]> {
    return this.all(
      "SELECT day, units, jobs FROM usage_days WHERE account_id = ?1 AND day >= ?2 AND day <= ?3",
      [accountId, from, to],
    );
  }

  /** Deletes up to `limit` days of usage before `before` (epoch days, UTC). Returns how many. */
  purgeUsageDays(before: number, limit: number): Promise<number> {
    return this.deleteSome("usage_days", "account_id, day", "day < ?1 LIMIT ?2", [before, limit]);
  }
}
