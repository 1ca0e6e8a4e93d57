import type {
  AccessReason,
  Account as Profile,
  AccountBilling,
  AccountOverview,
} from "../contract/account.ts";
import type { AccountUsage } from "../../billing/contract/usage.ts";
import { isoOf, isoOrNull } from "../../shared/api/primitives.ts";
import { accessOf, type Access } from "../../billing/rules/access.ts";
import { mostMeteredUnits } from "../../billing/rules/credit.ts";
import type { AccountUse } from "../../billing/rules/ledger.ts";
import { trialAt, type Trial } from "../../billing/rules/trial.ts";
import { usageOf, usagePeriod, usedOnDay } from "../../billing/rules/usage.ts";
import type { Platform } from "../../platform.ts";
import { accessLimitsOf, trialOfferOf } from "../../feature-settings.ts";
import type { Account } from "../store/accounts.ts";
import type { AccountFigures, BillingState } from "../../billing/store/ledger.ts";
import { catchUp } from "./catch-up.ts";
import type { OperationRequest } from "../../operation-request.ts";

const DAY_MS = 86_400_000;

/** getAccount: the profile of the authenticated account. */
export async function getAccount({ platform, account }: OperationRequest<"getAccount">): Promise<Profile> {
  const profile = await platform.accounts.profile(account.accountId);
  if (profile === null) throw new Error("the authenticated account does not exist");
  return profile;
}

/** getAccountUsage: the account's usage on each day of a period. @throws ServiceError invalid_period. */
export async function getAccountUsage({
  platform,
  account: { accountId },
  query,
}: OperationRequest<"getAccountUsage">): Promise<AccountUsage> {
  const period = usagePeriod(query, Date.now());
  return { days: usageOf(period, await platform.ledger.usageDays(accountId, period)) };
}

/** getAccountOverview: the account's access, its trial, and its usage in the last 24 hours. */
export async function getAccountOverview({
  platform,
  account,
}: OperationRequest<"getAccountOverview">): Promise<AccountOverview> {
  const { settings } = platform;
  const now = Date.now();
  const offer = trialOfferOf(settings);
  const { use, settledUnits, billing } = await figures(platform, account, now - DAY_MS);
  const trial = trialAt(offer, use.trial, now);
  const access = accessOf(account, accessLimitsOf(settings));
  return {
    tokenUsageLast24h: settledUnits,
    billing: billing === null ? {} : billingView(billing, access),
    access: {
      mode: access.accessMode,
      ...mayCreateJobs(access, trial, use, now),
      videoAllowed: access.videoAllowed,
      downloadsAllowed: true,
      maxImageTasksPerJob: access.maxImageTasksPerJob,
      maxActiveJobs: access.maxActiveJobs,
    },
    trial: {
      offerVersion: offer.version,
      status: trial.status,
      grantTokens: offer.tokens,
      consumedTokens: trial.consumedTokens,
      remainingTokens: trial.remainingTokens,
      durationDays: offer.days,
      startedAt: isoOrNull(trial.startedAt),
      expiresAt: isoOrNull(trial.expiresAt),
      activeJobId: account.accessMode === "trial" ? use.activeJobId : null,
    },
  };
}

/** Returns the figures of an account. Updates those of a trial with its job in progress first. */
async function figures(platform: Platform, account: Account, since: number): Promise<AccountFigures> {
  const { accountId, accessMode } = account;
  const found = await platform.ledger.figures(accountId, since);
  if (accessMode !== "trial" || found.use.activeJobId === null) return found;
  await catchUp(platform, found.use.activeJobId);
  return platform.ledger.figures(accountId, since);
}

function mayCreateJobs(
  { accessMode, lacksVerifiedEmail, maxUnitsPerDay, maxTasksPerDay, credit }: Access,
  { status }: Trial,
  { daily, meteredUnits }: AccountUse,
  now: number,
): { reason: AccessReason; canCreateJobs: boolean } {
  const used = usedOnDay(daily, now);
  const hasDayLeft = used.tasks < maxTasksPerDay && (maxUnitsPerDay === null || used.units < maxUnitsPerDay);
  const hasCreditLeft = credit === null || meteredUnits < mostMeteredUnits(credit);
  switch (accessMode) {
    case "paid":
      return { reason: "paid_access", canCreateJobs: hasDayLeft && hasCreditLeft };
    case "blocked":
      return { reason: "billing_delinquent", canCreateJobs: false };
    case "trial":
      return {
        reason: `trial_${status}`,
        canCreateJobs: hasDayLeft && !lacksVerifiedEmail && (status === "eligible" || status === "active"),
      };
  }
}

function billingView(
  { subscriptionStatus, currentPeriodEnd, latestInvoiceStatus }: BillingState,
  { accessMode }: Access,
): AccountBilling {
  return {
    accessStatus: accessMode === "blocked" ? "blocked" : "allowed",
    ...(currentPeriodEnd !== null && { currentPeriodEnd: isoOf(currentPeriodEnd) }),
    ...(latestInvoiceStatus !== null && { latestInvoiceStatus }),
    ...(subscriptionStatus !== null && { stripeSubscriptionStatus: subscriptionStatus }),
  };
}
