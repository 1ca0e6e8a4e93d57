import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fundOf, slotOf, slotsAfter } from "../../../src/billing/rules/ledger.ts";
import { imageJob, videoJob } from "../../support/a-job.ts";
import { unitsToReserve } from "../../../src/jobs/rules/cost.ts";

describe("a job's units", () => {
  it("are borne by the trial of a trial account, and by the account of any other", () => {
    expect((["trial", "paid", "blocked"] as const).map(fundOf)).toEqual(["trial", "paid", "paid"]);
  });

  it("are reserved for each picture", () => {
    expect(unitsToReserve(imageJob(["a", "b", "c"]), 1)).toBe(3);
  });

  it("are reserved for the least of the frames that the request and the operator allow", () => {
    expect(unitsToReserve(videoJob(), 3_600)).toBe(3_600);
    expect(unitsToReserve(videoJob({ numFrames: 10 }), 3_600)).toBe(10);
    expect(unitsToReserve(videoJob({ maxFrames: 20 }), 3_600)).toBe(20);
    const bound = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(bound, bound, bound, (operator, numFrames, maxFrames) => {
        const [least] = [operator, numFrames, maxFrames].toSorted((a, b) => a - b);
        expect(unitsToReserve(videoJob({ numFrames, maxFrames }), operator)).toBe(least);
      }),
    );
  });
});

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12);

describe("the slots of settled units", () => {
  it("are five minutes each, counted from the epoch", () => {
    expect(slotOf(0)).toBe(0);
    expect([NOON - 1, NOON, NOON + 5 * MINUTE - 1].map(slotOf)).toEqual([
      NOON / (5 * MINUTE) - 1,
      NOON / (5 * MINUTE),
      NOON / (5 * MINUTE),
    ]);
  });

  it("are whole from the first one on that begins after the moment", () => {
    const first = { firstWhole: slotOf(NOON) + 1, wholeFrom: NOON + 5 * MINUTE };
    for (const ms of [0, 1, 5 * MINUTE - 1]) expect(slotsAfter(NOON + ms)).toEqual(first);
    expect(slotsAfter(NOON - 1)).toEqual({ firstWhole: slotOf(NOON), wholeFrom: NOON });
  });
});
