import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostMeteredUnits } from "../../../src/billing/rules/credit.ts";
import { accessModeOf, accessOf, standingOf } from "../../../src/billing/rules/access.ts";

const LIMITS = {
  trialImagesPerJob: 3,
  trialActiveJobs: 1,
  paidActiveJobs: 1_000,
  trialTasksPerDay: 200,
  paidUnitsPerDay: 5_000,
  creditUnits: 1_000,
  trialNeedsVerifiedEmail: true,
};

/** An account whose plan the operator has set. */
const BY_PLAN = { paidUnits: null, creditUnits: null };

describe("a subscription's standing", () => {
  it.each([
    ["active", "active"],
    ["trialing", "active"],
    ["past_due", "delinquent"],
    ["unpaid", "delinquent"],
    ["canceled", "inactive"],
    ["incomplete", "inactive"],
    ["paused", "inactive"],
    [null, "inactive"],
  ])("while it is %s is %s", (status, standing) => {
    expect(standingOf(status, false)).toBe(standing);
  });
});

describe("an account's access mode", () => {
  it.each([
    ["active", "paid"],
    ["trialing", "paid"],
    ["past_due", "blocked"],
    ["unpaid", "blocked"],
    ["paused", "trial"],
    ["canceled", "trial"],
    [null, "trial"],
  ])("follows its subscription: %s gives %s [4.10-11]", (status, mode) => {
    expect(accessModeOf("trial", status, false)).toBe(mode);
  });

  it.each([["active"], ["canceled"], [null]])("is blocked by any overdue invoice: %s [4.10-11]", (status) => {
    expect(standingOf(status, true)).toBe("delinquent");
    expect(accessModeOf("trial", status, true)).toBe("blocked");
  });

  it("is the operator's choice if there is one, with any subscription", () => {
    fc.assert(
      fc.property(fc.constantFrom("active", "past_due", "canceled", null), (status) => {
        expect(accessModeOf("paid", status, true)).toBe("paid");
        expect(accessModeOf("blocked", status, false)).toBe("blocked");
      }),
    );
  });
});

describe("an account's permissions", () => {
  it("in the trial: pictures alone, few a job, one job at a time", () => {
    expect(
      accessOf({ accessMode: "trial", emailVerified: true, unitsPerDay: null, ...BY_PLAN }, LIMITS),
    ).toEqual({
      accessMode: "trial",
      lacksVerifiedEmail: false,
      videoAllowed: false,
      maxImageTasksPerJob: 3,
      maxActiveJobs: 1,
      maxUnitsPerDay: null,
      maxTasksPerDay: 200,
      maxFilesPerDay: 65_000,
      credit: null,
    });
  });

  it("when it pays: pictures, a hundred a job, videos, many jobs at a time", () => {
    expect(
      accessOf({ accessMode: "paid", emailVerified: true, unitsPerDay: null, ...BY_PLAN }, LIMITS),
    ).toEqual({
      accessMode: "paid",
      lacksVerifiedEmail: false,
      videoAllowed: true,
      maxImageTasksPerJob: 100,
      maxActiveJobs: 1_000,
      maxUnitsPerDay: 5_000,
      maxTasksPerDay: 10_000,
      maxFilesPerDay: 500_000,
      credit: null,
    });
  });

  it("when it is blocked: nothing", () => {
    expect(
      accessOf({ accessMode: "blocked", emailVerified: true, unitsPerDay: null, ...BY_PLAN }, LIMITS),
    ).toEqual({
      accessMode: "blocked",
      lacksVerifiedEmail: false,
      videoAllowed: false,
      maxImageTasksPerJob: 0,
      maxActiveJobs: 0,
      maxUnitsPerDay: null,
      maxTasksPerDay: 0,
      maxFilesPerDay: 0,
      credit: null,
    });
  });
});

describe("an account's units per day", () => {
  const most = (accessMode: "trial" | "paid" | "blocked", unitsPerDay: number | null): number | null =>
    accessOf({ accessMode, emailVerified: true, ...BY_PLAN, unitsPerDay }, LIMITS).maxUnitsPerDay;

  it("are limited by the separate limit, even zero, or else by the general one; a trial has its tokens instead", () => {
    expect(most("paid", null)).toBe(5_000);
    expect(most("paid", 7)).toBe(7);
    expect(most("paid", 0)).toBe(0);
    expect(most("trial", 7)).toBeNull();
    expect(most("blocked", 7)).toBeNull();
  });
});

describe("a subscriber's units per day", () => {
  const access = (paidUnits: number, creditUnits: number | null, unitsPerDay: number | null = null) =>
    accessOf({ accessMode: "paid", emailVerified: true, unitsPerDay, paidUnits, creditUnits }, LIMITS);

  it("begin as low as the credit, and grow with payments up to the general or separate limit", () => {
    expect(access(0, null).maxUnitsPerDay).toBe(1_000);
    expect(access(500, null).maxUnitsPerDay).toBe(1_500);
    expect(access(100_000, null).maxUnitsPerDay).toBe(5_000);
    expect(access(100_000, null, 7).maxUnitsPerDay).toBe(7);
    expect(access(0, 3).maxUnitsPerDay).toBe(3);
  });

  it("have a credit: as many unpaid units as were paid, plus the first ones", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (paid, first) => {
        const { credit } = access(paid, first);
        expect(credit && mostMeteredUnits(credit) - paid).toBe(first + paid);
      }),
    );
  });
});

describe("an account's tasks per day", () => {
  it("are twice its units for a paying account, by its own limit if it has one", () => {
    const most = (unitsPerDay: number | null): number =>
      accessOf({ accessMode: "paid", emailVerified: true, ...BY_PLAN, unitsPerDay }, LIMITS).maxTasksPerDay;
    expect(most(null)).toBe(10_000);
    expect(most(7)).toBe(14);
    expect(most(0)).toBe(0);
  });
});

describe("an account without a verified e-mail address", () => {
  const lacks = (accessMode: "trial" | "paid" | "blocked", trialNeedsVerifiedEmail: boolean): boolean =>
    accessOf(
      { accessMode, emailVerified: false, unitsPerDay: null, ...BY_PLAN },
      { ...LIMITS, trialNeedsVerifiedEmail },
    ).lacksVerifiedEmail;

  it("lacks it only in the trial, unless the operator requires none", () => {
    expect(lacks("trial", true)).toBe(true);
    expect(lacks("trial", false)).toBe(false);
    expect(lacks("paid", true)).toBe(false);
    expect(lacks("blocked", true)).toBe(false);
  });
});
