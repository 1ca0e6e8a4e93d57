import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dayOf,
  secondsToNextDay,
  usedOnDay,
  usageOf,
  usagePeriod,
} from "../../../src/billing/rules/usage.ts";

const MIDNIGHT = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

describe("the use of a day", () => {
  it("is that of the last day with a job, and nothing once the next has begun", () => {
    const use = { day: dayOf(MIDNIGHT), units: 7, tasks: 9, files: 8 };
    expect(usedOnDay(use, MIDNIGHT)).toEqual({ units: 7, tasks: 9, files: 8 });
    expect(usedOnDay(use, MIDNIGHT + DAY - 1)).toEqual({ units: 7, tasks: 9, files: 8 });
    expect(usedOnDay(use, MIDNIGHT + DAY)).toEqual({ units: 0, tasks: 0, files: 0 });
  });

  it("includes a job requested just before midnight, once the new day has one", () => {
    expect(usedOnDay({ day: dayOf(MIDNIGHT), units: 7, tasks: 9, files: 8 }, MIDNIGHT - 1)).toEqual({
      units: 7,
      tasks: 9,
      files: 8,
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

/** The last moment of a day. */
const NOW = Date.UTC(2026, 10, 23) - 1;
const TODAY = Date.UTC(2026, 10, 22) / DAY;

const complaintOf = (from?: string, to?: string): string => {
  try {
    usagePeriod({ ...(from && { from }), ...(to && { to }) }, NOW);
    return "none";
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_period", status: 400 });
    return String(error);
  }
};

describe("the period of a request for usage", () => {
  it("has 30 days up to today, or up to the requested day", () => {
    expect(usagePeriod({}, NOW)).toEqual({ from: TODAY - 29, to: TODAY });
    expect(usagePeriod({ to: "2026-11-20" }, NOW)).toEqual({ from: TODAY - 31, to: TODAY - 2 });
    expect(usagePeriod({ from: "2026-11-22" }, NOW)).toEqual({ from: TODAY, to: TODAY });
    expect(usagePeriod({ from: "2026-11-01", to: "2026-11-02" }, NOW)).toEqual({
      from: TODAY - 21,
      to: TODAY - 20,
    });
  });

  it("has at most 366 days", () => {
    expect(complaintOf("2025-11-22", "2026-11-22")).toBe("none");
    expect(complaintOf("2025-11-21", "2026-11-22")).toContain("more than 366 days");
  });

  it("begins no later than it ends", () => {
    expect(complaintOf("2026-11-20", "2026-11-20")).toBe("none");
    expect(complaintOf("2026-11-21", "2026-11-20")).toContain("from is after to");
    expect(complaintOf("2026-11-23")).toContain("from is after to");
  });

  it("begins no earlier than the kept data", () => {
    expect(complaintOf("2025-10-18", "2025-10-18")).toBe("none");
    expect(complaintOf("2025-10-17", "2025-10-18")).toContain("Send a from of 2025-10-18 or later.");
  });
});

describe("the usage of a period", () => {
  it("has every day once, in order, with its usage", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40_000 }),
        fc.nat(365),
        fc.uniqueArray(
          fc.record({ day: fc.integer({ min: 0, max: 40_400 }), units: fc.nat(), jobs: fc.nat() }),
          {
            selector: ({ day }) => day,
          },
        ),
        (from, more, used) => {
          const days = usageOf({ from, to: from + more }, used);
          expect(days).toHaveLength(more + 1);
          days.forEach(({ date, units, jobs }, i) => {
            const kept = used.find(({ day }) => day === from + i) ?? { units: 0, jobs: 0 };
            expect({ day: Date.parse(date) / DAY, units, jobs }).toEqual({ ...kept, day: from + i });
          });
        },
      ),
    );
  });
});
