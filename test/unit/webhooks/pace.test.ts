import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AttemptEnd } from "../../../src/webhooks/rules/delivery.ts";
import {
  FIRST_AT_A_TIME,
  MOST_AT_A_TIME,
  paceAfter,
  widthOf,
  type Pace,
} from "../../../src/webhooks/rules/pace.ts";

const responded = (status: number, ms = 250): AttemptEnd => ({ status, error: null, ms });
const timeout: AttemptEnd = { status: null, error: "timeout", ms: 15_000 };

const after = (pace: Pace, ...ends: AttemptEnd[]): number => widthOf(ends.reduce(paceAfter, pace));
const times = (count: number, end: AttemptEnd) => Array.from({ length: count }, () => end);

describe("the pace of an endpoint [A3-19]", () => {
  it("grows by one request once as many as it allows have kept up, to six", () => {
    expect(after(FIRST_AT_A_TIME, ...times(1, responded(204)))).toBe(2);
    expect(after(FIRST_AT_A_TIME, ...times(2, responded(204)))).toBe(3);
    expect(after(FIRST_AT_A_TIME, ...times(2 + 3 + 4 + 5, responded(204)))).toBe(6);
    expect(after(FIRST_AT_A_TIME, ...times(1_000, responded(204)))).toBe(6);
  });

  it.each<[string, AttemptEnd]>([
    ["no response", timeout],
    ["a connection that is refused at once", { status: null, error: "unreachable", ms: 3 }],
    ["a status from 500", responded(500)],
    ["429", responded(429)],
    ["a response after ten seconds", responded(200, 10_000)],
  ])("is halved by %s", (_, end) => {
    expect([after(6, end), after(6, end, end), after(6, end, end, end), after(1, end)]).toEqual([3, 1, 1, 1]);
  });

  it("is not slowed by quick refusals", () => {
    expect(after(FIRST_AT_A_TIME, ...times(14, responded(404)))).toBe(6);
  });

  it("is always at least one and at most six", () => {
    const end = fc.record({
      status: fc.option(fc.integer({ min: 200, max: 599 })),
      error: fc.constant(null),
      ms: fc.nat(15_000),
    });
    fc.assert(
      fc.property(fc.array(end, { maxLength: 200 }), (ends) => {
        const width = after(FIRST_AT_A_TIME, ...ends);
        expect(width).toBeGreaterThanOrEqual(1);
        expect(width).toBeLessThanOrEqual(MOST_AT_A_TIME);
      }),
      { seed: Number(process.env["SEED"]) },
    );
  });
});
