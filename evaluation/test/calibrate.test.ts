import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AS_IT_IS, confidenceOf } from "../../inference-container/src/models/confidence.ts";
import { composed, crossFitted, fitConfidence } from "../src/fit.ts";
import { calibration } from "../src/measures/calibration.ts";

/** Detections at scores of 0.01 to 0.99, with exactly the share of correct ones that the fit claims: 1,000 for each score. */
function outcomesOf(offset: number, slope: number) {
  return Array.from({ length: 99 }, (_, i) => (i + 1) / 100).flatMap((score) => {
    const right = Math.round(1000 * confidenceOf(score, { offset, slope }));
    return Array.from({ length: 1000 }, (_, i) => ({ score, right: i < right, picture: i % 7 }));
  });
}

describe("the fit of confidences", () => {
  it.each([
    [0, 1],
    [0.4, 2.3],
    [-1, 0.6],
  ])("finds the logistic curve of right and wrong detections (offset %d, slope %d)", (offset, slope) => {
    const fit = fitConfidence(outcomesOf(offset, slope));
    expect([fit.offset, fit.slope]).toEqual([expect.closeTo(offset, 1), expect.closeTo(slope, 1)]);
  });

  it("is found for confidences that are far too high, as those of a model without a fit", () => {
    const outcomes = Array.from({ length: 24 }, (_, i) => ({
      score: 0.9 + 0.003 * i,
      right: i === 20 || i === 23,
    }));
    const { offset, slope } = fitConfidence(outcomes);
    expect([offset < 0, slope > 0]).toEqual([true, true]);
    const claimed = outcomes.reduce((sum, { score }) => sum + confidenceOf(score, { offset, slope }), 0);
    // Right and wrong are slightly less than certain, so that some more are claimed than the two.
    expect(Math.abs(claimed - 2)).toBeLessThan(1.5);
  });

  it("lifts scores that are low by design, so that a default job finds them", () => {
    const low = outcomesOf(Math.log(9), 1).filter(({ score }) => score <= 0.4);
    const fit = fitConfidence(low);
    expect(confidenceOf(0.1, fit)).toBeCloseTo(0.5, 1);
    expect(confidenceOf(0.2, fit)).toBeGreaterThan(0.6);
  });

  it("makes half of the detections with a confidence of 0.5 correct", () => {
    const outcomes = outcomesOf(0.4, 2.3);
    const fit = fitConfidence(outcomes);
    const fitted = outcomes.map(({ score, right }) => ({ score: confidenceOf(score, fit), right }));
    expect(calibration(outcomes).error).toBeGreaterThan(0.1);
    expect(calibration(fitted).error).toBeLessThan(0.01);
  });

  it("changes nothing if all detections are correct, all are wrong, or there are none", () => {
    const all = (right: boolean) => [0.2, 0.6].map((score) => ({ score, right }));
    expect([all(true), all(false), []].map(fitConfidence)).toEqual([AS_IT_IS, AS_IT_IS, AS_IT_IS]);
  });

  it("is finite if a score separates right from wrong perfectly", () => {
    const { offset, slope } = fitConfidence(
      [0.1, 0.2, 0.7, 0.8].map((score) => ({ score, right: score > 0.5 })),
    );
    expect([Number.isFinite(offset), slope > 0]).toEqual([true, true]);
  });

  it("may follow another: both together give what one after the other gives", () => {
    const part = fc.double({ min: 0.2, max: 3, noNaN: true });
    fc.assert(
      fc.property(
        part,
        part,
        part,
        part,
        fc.double({ min: 0.2, max: 0.8, noNaN: true }),
        (a, b, c, d, score) => {
          const [first, second] = [
            { offset: a - 1.5, slope: b },
            { offset: c - 1.5, slope: d },
          ];
          const oneByOne = confidenceOf(confidenceOf(score, first), second);
          expect(confidenceOf(score, composed(first, second))).toBeCloseTo(oneByOne, 4);
        },
      ),
    );
  });

  it("is judged on pictures that it was not fitted to", () => {
    // In each picture, scores mean the opposite of their meaning in the other four groups.
    const odd = Array.from({ length: 5 }, (_, picture) =>
      [0.2, 0.8].map((score) => ({ picture, score, right: picture === 0 ? score < 0.5 : score > 0.5 })),
    ).flat();
    const [low, high] = crossFitted(odd, 5);
    expect([(low?.score ?? 1) < 0.5, low?.right, (high?.score ?? 0) > 0.5, high?.right]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
