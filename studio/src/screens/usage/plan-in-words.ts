import type { Answer } from "segmentation-client";
import type { StudioConfig } from "../../state/config.ts";
import { counted, dateText, numberText } from "../../text/format.ts";

/** State of an account in words, with the next step. */
interface PlanInWords {
  readonly title: string;
  readonly text: string;
  /** Remaining trial. */
  readonly meter: { readonly left: number; readonly of: number } | null;
  /** The payment provider's page that is the next step, and whether it is urgent. */
  readonly page: "checkout" | "portal" | null;
  readonly isUrgent: boolean;
}

/** The words for the plan and the trial in `getAccountOverview`. */
export function planInWords({ access, billing, trial }: Answer<"getAccountOverview">): PlanInWords {
  const units = counted(trial.grantTokens, "unit");
  const onTrial = { page: "checkout", isUrgent: false } as const;
  const over = { meter: null, page: "checkout", isUrgent: true } as const;
  const isSubscribed = billing.stripeSubscriptionStatus !== undefined;
  switch (access.reason) {
    case "paid_access":
      return {
        title: "Paid plan",
        text: isSubscribed
          ? `You pay for what you use: one unit per picture, or per processed frame of a video.${
              billing.currentPeriodEnd === undefined
                ? ""
                : ` Your next invoice is on ${dateText(billing.currentPeriodEnd)}.`
            }`
          : "The operator of this service has granted it to you.",
        meter: null,
        page: isSubscribed ? "portal" : null,
        isUrgent: false,
      };
    case "billing_delinquent":
      return {
        title: "New jobs are blocked",
        text: "An invoice is unpaid, or the operator has suspended this account. Earlier results stay available.",
        meter: null,
        page: isSubscribed ? "portal" : null,
        isUrgent: true,
      };
    case "trial_eligible":
      return {
        title: "Free trial",
        text: `${units} within ${counted(trial.durationDays, "day")}, starting with your first job. A unit is a picture.`,
        meter: { left: trial.remainingTokens, of: trial.grantTokens },
        ...onTrial,
      };
    case "trial_active":
      return {
        title: "Free trial",
        text: `${trial.remainingTokens} of ${units} left${
          trial.expiresAt === null ? "" : `, until ${dateText(trial.expiresAt)}`
        }. A unit is a picture.`,
        meter: { left: trial.remainingTokens, of: trial.grantTokens },
        ...onTrial,
      };
    case "trial_exhausted":
      return { title: "Your trial is used up", text: `All ${units} have been used.`, ...over };
    case "trial_expired":
      return {
        title: "Your trial has ended",
        text: `The ${counted(trial.durationDays, "day")} have passed.`,
        ...over,
      };
  }
}

/** Comparison of the trial and the paid plan, line by line. */
export function plansInWords(
  { access, trial }: Pick<Answer<"getAccountOverview">, "access" | "trial">,
  paid: NonNullable<StudioConfig["paidPlan"]>,
): readonly (readonly [what: string, trial: string, paid: string])[] {
  const { maxUnitsPerDay, maxVideoSeconds, maxVideoFrames } = paid;
  return [
    [
      "Price",
      "Free",
      "Per unit that you use, nothing in advance. The checkout shows the price of a unit before you pay",
    ],
    ["A unit", "A picture", "A picture, or a processed frame of a video"],
    [
      "Units",
      `${numberText(trial.grantTokens)} within ${counted(trial.durationDays, "day")}`,
      `As many as you need, at first up to ${numberText(maxUnitsPerDay)} per day`,
    ],
    [
      "Pictures per job",
      `Up to ${numberText(access.maxImageTasksPerJob)}`,
      `Up to ${numberText(paid.maxImageTasksPerJob)}`,
    ],
    ["Jobs at a time", numberText(access.maxActiveJobs), `Up to ${numberText(paid.maxActiveJobs)}`],
    [
      "Videos",
      "None",
      `Up to ${counted(Math.floor(maxVideoSeconds / 60), "minute")} and ${counted(maxVideoFrames, "processed frame")}`,
    ],
  ];
}
