import { describe, expect, it } from "vitest";
import { slotOf, slotsAfter } from "../../../../src/core/billing/settled-slots.ts";

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
