import { describe, expect, it } from "vitest";
import { planInWords } from "../../../studio/src/screens/usage/plan-in-words.ts";

type Overview = Parameters<typeof planInWords>[0];

const access = {
  canCreateJobs: true,
  videoAllowed: true,
  downloadsAllowed: true,
  maxImageTasksPerJob: 3,
  maxActiveJobs: 1,
};
const trial = {
  offerVersion: "v1",
  status: "active",
  grantTokens: 100,
  consumedTokens: 3,
  remainingTokens: 97,
  durationDays: 14,
  startedAt: "2026-11-20T09:30:00.000Z",
  expiresAt: "2026-12-04T09:30:00.000Z",
  activeJobId: null,
} as const;
const words = (
  mode: Overview["access"]["mode"],
  reason: Overview["access"]["reason"],
  billing: Overview["billing"] = {},
) => planInWords({ tokenUsageLast24h: 3, billing, trial, access: { ...access, mode, reason } });

describe("what the usage page says of a plan", () => {
  it("leads a trial to the checkout, and says what is left of it and until when", () => {
    expect(words("trial", "trial_active")).toMatchObject({
      text: expect.stringMatching(/^97 of 100 units left, until 4 Dec 2026\. .* At most 3 pictures per job/),
      meter: { left: 97, of: 100 },
      page: "checkout",
    });
  });

  it.each(["trial_exhausted", "trial_expired"] as const)(
    "leads from a trial that is over (%s) to the checkout",
    (reason) => {
      expect(words("trial", reason)).toMatchObject({ meter: null, page: "checkout", isUrgent: true });
    },
  );

  it("leads to the portal who has a subscription, and to no page whom the operator lets in or stops", () => {
    const subscribed = { stripeSubscriptionStatus: "active" };
    expect(words("paid", "paid_access", subscribed).page).toBe("portal");
    expect(words("blocked", "billing_delinquent", subscribed)).toMatchObject({
      page: "portal",
      isUrgent: true,
    });
    expect(words("paid", "paid_access").page).toBeNull();
    expect(words("blocked", "billing_delinquent").page).toBeNull();
  });
});
