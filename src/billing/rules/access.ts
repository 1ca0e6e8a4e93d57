import type { AccessMode } from "../contract/billing.ts";
import { creditOf, type Credit } from "./credit.ts";

/** The operator's decision for an account: `paid` and `blocked` override its subscription. */
export type Plan = "trial" | "paid" | "blocked";

/** The effect of a subscription's state at the payment provider on access. */
export type SubscriptionStanding = "active" | "delinquent" | "inactive";

const STANDINGS: ReadonlyMap<string | null, SubscriptionStanding> = new Map([
  ["active", "active"],
  ["trialing", "active"],
  ["past_due", "delinquent"],
  ["unpaid", "delinquent"],
]);

/**
 * The standing of a customer.
 * @param subscriptionStatus Stripe's; null if there is no subscription
 * @param owes true if an invoice is overdue, even of an ended subscription
 */
export const standingOf = (subscriptionStatus: string | null, owes: boolean): SubscriptionStanding =>
  owes ? "delinquent" : (STANDINGS.get(subscriptionStatus) ?? "inactive");

/** The access mode of an account: the operator's plan decides first, then the subscription and its invoices. */
export function accessModeOf(plan: Plan, subscriptionStatus: string | null, owes: boolean): AccessMode {
  if (plan !== "trial") return plan;
  const modes = { active: "paid", delinquent: "blocked", inactive: "trial" } as const;
  return modes[standingOf(subscriptionStatus, owes)];
}

/** Numbers that an operator may set. */
export interface AccessLimits {
  readonly trialImagesPerJob: number;
  readonly trialActiveJobs: number;
  readonly trialTasksPerDay: number;
  readonly paidActiveJobs: number;
  /** Default for an account without a limit. */
  readonly paidUnitsPerDay: number;
  /** Units that a subscriber may owe before it has paid for any. */
  readonly creditUnits: number;
  /** True if the trial requires a verified e-mail address. */
  readonly trialNeedsVerifiedEmail: boolean;
}

const MOST_IMAGES_PER_JOB = 100;

/**
 * Tasks per day that a paying account may have for each unit: failed tasks release their units, so a limit of units alone would
 * allow failing tasks all day at no charge.
 */
const TASKS_PER_UNIT = 2;

/**
 * Files per day that a paying account's tasks may write for each unit: a picture of one unit may have thousands of masks, and the
 * bucket charges for each file.
 */
export const FILES_PER_UNIT = 100;

/** Two of the largest jobs. */
const LEAST_FILES_PER_DAY = 65_000;

/** The properties of an account that determine its access. */
export interface AccessHolder {
  readonly accessMode: AccessMode;
  readonly emailVerified: boolean;
  /** Units that its jobs may reserve per day, if the operator set a limit for this account alone. */
  readonly unitsPerDay: number | null;
  /** Units that a subscriber has paid for; null if the operator's plan decides what the account may do. */
  readonly paidUnits: number | null;
  /** Units that it may owe before it has paid for any, if the operator set a number for this account alone. */
  readonly creditUnits: number | null;
}

/** An account's access. */
export interface Access {
  readonly accessMode: AccessMode;
  /** True if the account cannot create jobs until it has a verified e-mail address. */
  readonly lacksVerifiedEmail: boolean;
  readonly videoAllowed: boolean;
  readonly maxImageTasksPerJob: number;
  readonly maxActiveJobs: number;
  /** Units that its jobs may reserve per day; null if there is no limit, as in the trial, which is limited by tokens. */
  readonly maxUnitsPerDay: number | null;
  /** Tasks that its jobs may have per day, whether they succeed or fail. */
  readonly maxTasksPerDay: number;
  /** Files that the tasks of its jobs may write per day. */
  readonly maxFilesPerDay: number;
  /** Limit of a subscriber's debt; null for any other account. */
  readonly credit: Credit | null;
}

/** The access of a blocked account. The others have more. */
const NOTHING = {
  lacksVerifiedEmail: false,
  videoAllowed: false,
  maxImageTasksPerJob: 0,
  maxActiveJobs: 0,
  maxUnitsPerDay: null,
  maxTasksPerDay: 0,
  maxFilesPerDay: 0,
  credit: null,
} as const;

/** The access of an account, by its access mode and, where the trial requires it, its verified e-mail address. */
export function accessOf(
  { accessMode, emailVerified, unitsPerDay, paidUnits, creditUnits }: AccessHolder,
  limits: AccessLimits,
): Access {
  switch (accessMode) {
    case "trial":
      return {
        ...NOTHING,
        accessMode,
        lacksVerifiedEmail: limits.trialNeedsVerifiedEmail && !emailVerified,
        maxImageTasksPerJob: limits.trialImagesPerJob,
        maxActiveJobs: limits.trialActiveJobs,
        maxTasksPerDay: limits.trialTasksPerDay,
        maxFilesPerDay: LEAST_FILES_PER_DAY,
      };
    case "paid": {
      const credit = paidUnits === null ? null : { firstUnits: creditUnits ?? limits.creditUnits, paidUnits };
      const ofAccount = unitsPerDay ?? limits.paidUnitsPerDay;
      // Failed tasks are free and never end the credit: so a day's limit begins low and grows with the payments, too.
      const maxUnitsPerDay = credit === null ? ofAccount : Math.min(ofAccount, creditOf(credit));
      return {
        ...NOTHING,
        accessMode,
        videoAllowed: true,
        maxImageTasksPerJob: MOST_IMAGES_PER_JOB,
        maxActiveJobs: limits.paidActiveJobs,
        maxUnitsPerDay,
        maxTasksPerDay: maxUnitsPerDay * TASKS_PER_UNIT,
        maxFilesPerDay: Math.max(LEAST_FILES_PER_DAY, maxUnitsPerDay * FILES_PER_UNIT),
        credit,
      };
    }
    case "blocked":
      return { ...NOTHING, accessMode };
  }
}
