import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  barsOf,
  labelledBars,
  marksFor,
  periodOf,
  PERIODS,
  totalOf,
} from "../../../src/screens/usage/days.ts";
import { usageOf, usagePeriod } from "../../../../src/billing/rules/usage.ts";

const DAY_MS = 86_400_000;
const time = fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2030-01-01") });
/** Consecutive days with their use, as the API gives them. */
const days = fc
  .array(fc.record({ units: fc.nat(5_000), jobs: fc.nat(50) }), { minLength: 1, maxLength: 366 })
  .map((used) =>
    used.map((each, i) => ({
      date: new Date(Date.parse("2026-01-01") + i * DAY_MS).toISOString().slice(0, 10),
      ...each,
    })),
  );

describe("a period of the usage page", () => {
  it("has as many days as chosen, ends today, and is accepted by the service", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), time, (count, now) => {
        const asked = periodOf(count, now);
        const given = usageOf(usagePeriod(asked, now), []);
        expect(given).toHaveLength(count);
        expect(given.at(-1)?.date).toBe(new Date(now).toISOString().slice(0, 10));
      }),
    );
  });
});

describe("the bars of the chart", () => {
  it("have every day in one bar, in order, and add up to the whole", () => {
    fc.assert(
      fc.property(days, (used) => {
        const bars = barsOf(used);
        expect(totalOf(used)).toEqual({
          units: bars.reduce((sum, bar) => sum + bar.units, 0),
          jobs: bars.reduce((sum, bar) => sum + bar.jobs, 0),
        });
        expect(bars[0]?.first).toBe(used[0]?.date);
        expect(bars.at(-1)?.last).toBe(used.at(-1)?.date);
        for (const [i, bar] of bars.entries()) {
          const next = bars[i + 1];
          if (next !== undefined) expect(Date.parse(next.first) - Date.parse(bar.last)).toBe(DAY_MS);
        }
      }),
    );
  });

  it("are never more than a phone has room for", () => {
    fc.assert(
      fc.property(days, (used) => {
        expect(barsOf(used).length).toBeLessThanOrEqual(92);
      }),
    );
  });
});

describe("the chart's axes", () => {
  it("have two to six marks at equal whole distances, from 0 to the first above the maximum", () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (most) => {
        const marks = marksFor(most);
        const [zero, step = Number.NaN] = marks;
        expect(zero).toBe(0);
        expect(marks.length).toBeGreaterThanOrEqual(2);
        expect(marks.length).toBeLessThanOrEqual(6);
        expect(Number.isInteger(step)).toBe(true);
        expect(marks).toEqual(marks.map((_, i) => i * step));
        const highest = marks.at(-1) ?? 0;
        expect(highest).toBeGreaterThanOrEqual(most);
        expect(highest - step).toBeLessThan(Math.max(most, 1));
      }),
    );
  });

  it("say the dates of as many bars as there is room for, and always the newest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 }), fc.integer({ min: 0, max: 3_000 }), (count, width) => {
        const labelled = labelledBars(count, width, 76);
        expect(labelled.has(count - 1)).toBe(true);
        expect(labelled.size).toBeLessThanOrEqual(Math.max(1, Math.floor(width / 76)));
      }),
    );
  });
});
