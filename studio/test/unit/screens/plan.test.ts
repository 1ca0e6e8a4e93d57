import { describe, expect, it } from "vitest";
import { planInWords, plansInWords } from "../../../src/screens/usage/plan-in-words.ts";

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

describe("a plan on the usage page", () => {
  it("leads a trial to the checkout, and says how much is left and until when", () => {
    expect(words("trial", "trial_active")).toMatchObject({
      text: "97 of 100 units left, until 4 Dec 2026. A unit is a picture.",
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

  it("leads subscribers to the portal, and accounts set by the operator to no page", () => {
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

it("states before the checkout the cost, content and limits of each plan, in the deployment's numbers", () => {
  const ofTrial = { ...access, mode: "trial", reason: "trial_active" } as const;
  const paid = {
    maxImageTasksPerJob: 100,
    maxActiveJobs: 1_000,
    maxUnitsPerDay: 500,
    maxVideoSeconds: 90,
    maxVideoFrames: 3_600,
  };
  const lines = plansInWords({ access: ofTrial, trial }, paid);
  const line = (what: string) =>
    lines
      .find(([name]) => name === what)
      ?.slice(1)
      .join(" | ");
  expect(line("Price")).toMatch(/^Free \| Per unit that you use.*The checkout shows the price of a unit/);
  expect(line("Units")).toMatch(/^100 within 14 days \| .*500 per day/);
  expect(line("Pictures per job")).toBe("Up to 3 | Up to 100");
  expect(line("Jobs at a time")).toBe("1 | Up to 1,000");
  expect(line("Videos")).toMatch(/^None \| .*1 minute.* 3,600 processed frames/);
});
