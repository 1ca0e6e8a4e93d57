import type { AccessMode } from "../contract/account.ts";
import type { ProcessingMode } from "../contract/primitives.ts";
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
  readonly paidActiveJobs: number;
}

const MOST_IMAGES_PER_JOB = 100;

/** What an access mode allows. */
export interface Access {
  readonly accessMode: AccessMode;
  readonly videoAllowed: boolean;
  readonly maxImageTasksPerJob: number;
  readonly maxActiveJobs: number;
}

/** The access of an access mode. */
export function accessOf(accessMode: AccessMode, limits: AccessLimits): Access {
  switch (accessMode) {
    case "trial":
      return {
        accessMode,
        videoAllowed: false,
        maxImageTasksPerJob: limits.trialImagesPerJob,
        maxActiveJobs: limits.trialActiveJobs,
      };
    case "paid":
      return {
        accessMode,
        videoAllowed: true,
        maxImageTasksPerJob: MOST_IMAGES_PER_JOB,
        maxActiveJobs: limits.paidActiveJobs,
      };
    case "blocked":
      return { accessMode, videoAllowed: false, maxImageTasksPerJob: 0, maxActiveJobs: 0 };
  }
}

/** The queue for a job's tasks: a single picture never waits behind a batch, nor a paying account behind a trial. */
export function laneOf(accessMode: AccessMode, processingMode: ProcessingMode): Lane {
  if (accessMode === "trial") return "trial";
  return processingMode === "single" ? "interactive" : "bulk";
}
