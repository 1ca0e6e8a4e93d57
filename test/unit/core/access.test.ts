import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accessModeOf, accessOf, laneOf, standingOf } from "../../../src/core/access.ts";

const LIMITS = { trialImagesPerJob: 3, trialActiveJobs: 1, paidActiveJobs: 1_000 };

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
    expect(standingOf(status)).toBe(standing);
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
  ])("follows its subscription: %s gives %s", (status, mode) => {
    expect(accessModeOf("trial", status)).toBe(mode);
  });

  it("is the operator's word where there is one, whatever the subscription says", () => {
    fc.assert(
      fc.property(fc.constantFrom("active", "past_due", "canceled", null), (status) => {
        expect(accessModeOf("paid", status)).toBe("paid");
        expect(accessModeOf("blocked", status)).toBe("blocked");
      }),
    );
  });
});

describe("what an account may do", () => {
  it("in the trial: pictures alone, few a job, one job at a time", () => {
    expect(accessOf("trial", LIMITS)).toEqual({
      accessMode: "trial",
      videoAllowed: false,
      maxImageTasksPerJob: 3,
      maxActiveJobs: 1,
    });
  });

  it("when it pays: pictures, a hundred a job, videos, many jobs at a time", () => {
    expect(accessOf("paid", LIMITS)).toEqual({
      accessMode: "paid",
      videoAllowed: true,
      maxImageTasksPerJob: 100,
      maxActiveJobs: 1_000,
    });
  });

  it("when it is blocked: nothing", () => {
    expect(accessOf("blocked", LIMITS)).toEqual({
      accessMode: "blocked",
      videoAllowed: false,
      maxImageTasksPerJob: 0,
      maxActiveJobs: 0,
    });
  });
});

describe("a job's lane", () => {
  it.each([
    ["paid", "single", "interactive"],
    ["paid", "batch", "bulk"],
    ["paid", "video", "bulk"],
    ["trial", "single", "trial"],
    ["trial", "batch", "trial"],
    ["trial", "video", "trial"],
  ] as const)(
    "keeps single pictures from standing behind batches, and payers behind trials: %s, %s: %s",
    (mode, processing, lane) => {
      expect(laneOf(mode, processing)).toBe(lane);
    },
  );
});
