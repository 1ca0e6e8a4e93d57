import type { AccountUsage, UsageQuery } from "../../contract/usage.ts";
import { usageOf, usagePeriod } from "../../core/billing/usage.ts";
import type { Platform } from "../../platform.ts";

/** getAccountUsage: what an account used on each day of a period. @throws ServiceError invalid_period. */
export async function getAccountUsage(
  { ledger }: Platform,
  accountId: string,
  query: UsageQuery,
): Promise<AccountUsage> {
  const period = usagePeriod(query, Date.now());
  return { days: usageOf(period, await ledger.usageDays(accountId, period)) };
}
