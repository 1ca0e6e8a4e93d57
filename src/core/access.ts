import type { AccessMode } from "../contract/account.ts";
import type { ProcessingMode } from "../contract/primitives.ts";
import type { Lane } from "../inference/protocol.ts";

/** What the operator decided for an account: `paid` and `blocked` stand whatever its subscription says. */
export type Plan = "trial" | "paid" | "blocked";

/** How a subscription's state at the payment provider bears on access. */
export type SubscriptionStanding = "active" | "delinquent" | "inactive";

const STANDINGS: ReadonlyMap<string, SubscriptionStanding> = new Map([
  ["active", "active"],
  ["trialing", "active"],
  ["past_due", "delinquent"],
  ["unpaid", "delinquent"],
]);

/** The standing of a subscription by Stripe's status; null is none. */
export const standingOf = (subscriptionStatus: string | null): SubscriptionStanding =>
  STANDINGS.get(subscriptionStatus ?? "") ?? "inactive";

/** The access mode of an account: the operator's word first, then its subscription's. */
export function accessMode(plan: Plan, subscriptionStatus: string | null): AccessMode {
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

/** What a mode allows. */
export interface Access {
  readonly mode: AccessMode;
  readonly videoAllowed: boolean;
  readonly maxImageTasksPerJob: number;
  readonly maxActiveJobs: number;
}

/** The access of a mode. */
export function accessOf(mode: AccessMode, limits: AccessLimits): Access {
  switch (mode) {
    case "trial":
      return {
        mode,
        videoAllowed: false,
        maxImageTasksPerJob: limits.trialImagesPerJob,
        maxActiveJobs: limits.trialActiveJobs,
      };
    case "paid":
      return {
        mode,
        videoAllowed: true,
        maxImageTasksPerJob: MOST_IMAGES_PER_JOB,
        maxActiveJobs: limits.paidActiveJobs,
      };
    case "blocked":
      return { mode, videoAllowed: false, maxImageTasksPerJob: 0, maxActiveJobs: 0 };
  }
}

/** The queue that a job's tasks go through: a single picture never stands behind a batch, nor a payer behind a trial. */
export function laneOf(mode: AccessMode, processing: ProcessingMode): Lane {
  if (mode === "trial") return "trial";
  return processing === "single" ? "interactive" : "bulk";
}
