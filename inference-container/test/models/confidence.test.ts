import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { confidenceOf, scoreOf } from "../../src/models/confidence.ts";

const score = fc.double({ min: 0.001, max: 0.999, noNaN: true });
const fit = fc.record({
  offset: fc.double({ min: -3, max: 3, noNaN: true }),
  slope: fc.double({ min: 0.3, max: 3, noNaN: true }),
});

describe("a confidence", () => {
  it("is the score itself if the fit changes nothing, also at the ends", () => {
    for (const value of [0.05, 0.5, 0.9])
      expect(confidenceOf(value, { offset: 0, slope: 1 })).toBeCloseTo(value, 9);
    for (const end of [0, 1]) expect(confidenceOf(end, { offset: 0.4, slope: 2 })).toBeCloseTo(end, 5);
  });

  it("is 0.5 if offset and slope times the score's log-odds cancel", () => {
    expect(confidenceOf(0.4, { offset: Math.log(1.5), slope: 1 })).toBeCloseTo(0.5, 9);
  });

  it("grows with the score, and leads back to it", () => {
    fc.assert(
      fc.property(score, score, fit, (a, b, one) => {
        expect((confidenceOf(a, one) - confidenceOf(b, one)) * (a - b)).toBeGreaterThanOrEqual(0);
        if (confidenceOf(a, one) > 1e-5 && confidenceOf(a, one) < 1 - 1e-5)
          expect(scoreOf(confidenceOf(a, one), one)).toBeCloseTo(a, 6);
      }),
    );
  });
});
