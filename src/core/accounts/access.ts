import type { AccessMode } from "../../contract/account.ts";
import type { ProcessingMode } from "../../contract/primitives.ts";
import type { Lane } from "@segmentation/protocol";

/** The operator's decision for an account: `paid` and `blocked` hold whatever its subscription says. */
export type Plan = "trial" | "paid" | "blocked";

/** How a subscription's state at the payment provider bears on access. */
export type SubscriptionStanding = "active" | "delinquent" | "inactive";

const STANDINGS: ReadonlyMap<string | null, SubscriptionStanding> = new Map([
  ["active", "active"],
  ["trialing", "active"],
  ["past_due", "delinquent"],
  ["unpaid", "delinquent"],
]);

/** The standing of a subscription by Stripe's status; null means that there is no subscription. */
export const standingOf = (subscriptionStatus: string | null): SubscriptionStanding =>
  STANDINGS.get(subscriptionStatus) ?? "inactive";

/** The access mode of an account: the operator's plan decides first, then the subscription. */
export function accessModeOf(plan: Plan, subscriptionStatus: string | null): AccessMode {
  if (plan !== "trial") return plan;
  const modes = { active: "paid", delinquent: "blocked", inactive: "trial" } as const;
  return modes[standingOf(subscriptionStatus)];
}

/** Numbers that an operator may set. */
export interface AccessLimits {
  readonly trialImagesPerJob: number;
  readonly trialActiveJobs: number;
  readonly trialTasksPerDay: number;
  readonly paidActiveJobs: number;
  /** Where the account has no limit of its own. */
  readonly paidUnitsPerDay: number;
  /** Whether the trial is only for accounts with a verified e-mail address. */
  readonly trialNeedsVerifiedEmail: boolean;
}

const MOST_IMAGES_PER_JOB = 100;

/**
 * How many tasks a paying account may have a day for each unit: failed tasks give their units back, so that units alone
 * would let somebody have tasks fail all day at no charge.
 */
const TASKS_PER_UNIT = 2;

/** What of an account decides what it may do. */
export interface AccessHolder {
  readonly accessMode: AccessMode;
  readonly emailVerified: boolean;
  /** Units that its jobs may reserve a day, if the operator set a limit for this account alone. */
  readonly unitsPerDay: number | null;
}

/** What an account may do. */
export interface Access {
  readonly accessMode: AccessMode;
  /** Whether the account lacks the verified e-mail address without which it creates no jobs. */
  readonly lacksVerifiedEmail: boolean;
  readonly videoAllowed: boolean;
  readonly maxImageTasksPerJob: number;
  readonly maxActiveJobs: number;
  /** Units that its jobs may reserve a day; null if there is no limit, as in the trial, which has its tokens. */
  readonly maxUnitsPerDay: number | null;
  /** Tasks that its jobs may have a day, whether they succeed or fail. */
  readonly maxTasksPerDay: number;
}

/** The access of an account: that of its access mode, if its e-mail address is verified where it has to be. */
export function accessOf(
  { accessMode, emailVerified, unitsPerDay }: AccessHolder,
  limits: AccessLimits,
): Access {
  switch (accessMode) {
    case "trial":
      return {
        accessMode,
        lacksVerifiedEmail: limits.trialNeedsVerifiedEmail && !emailVerified,
        videoAllowed: false,
        maxImageTasksPerJob: limits.trialImagesPerJob,
        maxActiveJobs: limits.trialActiveJobs,
        maxUnitsPerDay: null,
        maxTasksPerDay: limits.trialTasksPerDay,
      };
    case "paid": {
      const maxUnitsPerDay = unitsPerDay ?? limits.paidUnitsPerDay;
      return {
        accessMode,
        lacksVerifiedEmail: false,
        videoAllowed: true,
        maxImageTasksPerJob: MOST_IMAGES_PER_JOB,
        maxActiveJobs: limits.paidActiveJobs,
        maxUnitsPerDay,
        maxTasksPerDay: maxUnitsPerDay * TASKS_PER_UNIT,
      };
    }
    case "blocked":
      return {
        accessMode,
        lacksVerifiedEmail: false,
        videoAllowed: false,
        maxImageTasksPerJob: 0,
        maxActiveJobs: 0,
        maxUnitsPerDay: null,
        maxTasksPerDay: 0,
      };
  }
}

/** The queue for a job's tasks: a single picture never waits behind a batch, nor a paying account behind a trial. */
export function laneOf(accessMode: AccessMode, processingMode: ProcessingMode): Lane {
  if (accessMode === "trial") return "trial";
  return processingMode === "single" ? "interactive" : "bulk";
}
