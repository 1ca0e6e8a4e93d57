import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, secondsToNextDay, usedOnDay } from "../../../../src/core/billing/daily-use.ts";

const MIDNIGHT = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

describe("the use of a day", () => {
  it("is that of the last day with a job, and nothing once the next has begun", () => {
    const use = { day: dayOf(MIDNIGHT), units: 7, tasks: 9 };
    expect(usedOnDay(use, MIDNIGHT)).toEqual({ units: 7, tasks: 9 });
    expect(usedOnDay(use, MIDNIGHT + DAY - 1)).toEqual({ units: 7, tasks: 9 });
    expect(usedOnDay(use, MIDNIGHT + DAY)).toEqual({ units: 0, tasks: 0 });
  });

  it("holds a job that was asked for just before midnight too, once the new day has one", () => {
    expect(usedOnDay({ day: dayOf(MIDNIGHT), units: 7, tasks: 9 }, MIDNIGHT - 1)).toEqual({
      units: 7,
      tasks: 9,
    });
  });
});

describe("the seconds to the next day", () => {
  it("are whole, at least one, and not more than a day has", () => {
    expect(secondsToNextDay(MIDNIGHT)).toBe(86_400);
    expect(secondsToNextDay(MIDNIGHT + 1)).toBe(86_400);
    expect(secondsToNextDay(MIDNIGHT + DAY - 1)).toBe(1);
    fc.assert(
      fc.property(fc.nat(4_000_000_000_000), (now) => {
        const seconds = secondsToNextDay(now);
        expect(dayOf(now + seconds * 1_000)).toBe(dayOf(now) + 1);
        expect(dayOf(now + (seconds - 1) * 1_000)).toBe(dayOf(now));
      }),
    );
  });
});
