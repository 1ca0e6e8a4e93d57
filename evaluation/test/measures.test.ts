import { describe, expect, it } from "vitest";
import { averagePrecision } from "../src/measures/average-precision.ts";
import { byThreshold, judge } from "../src/measures/by-threshold.ts";
import { calibration } from "../src/measures/calibration.ts";
import { classificationGatedF1 } from "../src/measures/cg-f1.ts";
import { AREAS, IOU_THRESHOLDS, match } from "../src/measures/matching.ts";
import { makeQuery } from "../src/measures/query.ts";
import { mean, quantile } from "../src/measures/statistics.ts";
import { find, label, rectangle } from "./squares.ts";

const object = rectangle(10, 10, 40, 40);
/** Has IoU 0.6 with `object`. */
const torn = rectangle(10, 10, 40, 24);
const elsewhere = rectangle(120, 120, 40, 40);
const dot = rectangle(190, 190, 5, 5);

describe("matching", () => {
  it("assigns an object to the most confident detection, and counts a second one as wrong", () => {
    const query = makeQuery(0, 0, [label(object)], [find(0.4, object), find(0.9, torn)]);
    expect(match(query, 0.5, AREAS.all)).toEqual({
      verdicts: ["right", "wrong"],
      labelOf: [0, -1],
      wanted: 1,
    });
  });

  it("takes an IoU that equals the threshold", () => {
    const query = makeQuery(0, 0, [label(object)], [find(0.9, torn)]);
    expect(match(query, 0.6, AREAS.all).verdicts).toEqual(["right"]);
    expect(match(query, 0.65, AREAS.all).verdicts).toEqual(["wrong"]);
  });

  it("assigns a detection the label with the best overlap", () => {
    const query = makeQuery(0, 0, [label(torn), label(object)], [find(0.9, object), find(0.8, torn)]);
    expect(match(query, 0.5, AREAS.all).labelOf).toEqual([1, 0]);
  });

  it("ignores any number of detections in a crowd", () => {
    const crowd = label(rectangle(0, 0, 100, 100), true);
    const query = makeQuery(0, 0, [crowd], [find(0.9, object), find(0.8, torn), find(0.7, elsewhere)]);
    expect(match(query, 0.5, AREAS.all)).toMatchObject({
      verdicts: ["ignored", "ignored", "wrong"],
      wanted: 0,
    });
  });

  it("prefers a label that counts to a crowd that fits better", () => {
    const crowd = label(rectangle(0, 0, 100, 100), true);
    const query = makeQuery(0, 0, [crowd, label(object)], [find(0.9, torn)]);
    expect(match(query, 0.5, AREAS.all)).toMatchObject({ verdicts: ["right"], labelOf: [1], wanted: 1 });
  });

  it("ignores labels of another size with their detections, and unmatched detections of another size", () => {
    const query = makeQuery(
      0,
      0,
      [label(object), label(dot)],
      [find(0.9, object), find(0.8, elsewhere), find(0.7, dot)],
    );
    expect(match(query, 0.5, AREAS.small)).toMatchObject({
      verdicts: ["ignored", "ignored", "right"],
      wanted: 1,
    });
    expect(match(query, 0.5, AREAS.medium)).toMatchObject({
      verdicts: ["right", "wrong", "ignored"],
      wanted: 1,
    });
  });

  it("has the COCO API's ten thresholds, bit for bit", () => {
    // As numpy.linspace(.5, .95, 10) prints them.
    expect(IOU_THRESHOLDS).toEqual([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.8999999999999999, 0.95]);
  });

  it("counts an object of exactly 32² pixels as small and as medium, as the COCO API does", () => {
    const query = makeQuery(0, 0, [label(rectangle(0, 0, 32, 32))], []);
    const wanted = (size: keyof typeof AREAS): number => match(query, 0.5, AREAS[size]).wanted;
    expect([wanted("small"), wanted("medium"), wanted("large")]).toEqual([1, 1, 0]);
  });

  it("judges only the requested number of detections, the most confident ones", () => {
    const query = makeQuery(0, 0, [label(object)], [find(0.2, object), find(0.9, elsewhere)]);
    expect(match(query, 0.5, AREAS.all, 1).verdicts).toEqual(["wrong"]);
  });
});

describe("average precision", () => {
  it("is 1 if everything is found exactly, and nothing else", () => {
    const queries = [
      makeQuery(0, 0, [label(object)], [find(0.1, object)]),
      makeQuery(0, 1, [label(dot)], [find(0.9, dot)]),
    ];
    expect(averagePrecision(queries, AREAS.all)).toEqual({ mean: 1, at50: 1, at75: 1, recall: 1 });
  });

  it("counts the IoU thresholds that a detection reaches", () => {
    const queries = [makeQuery(0, 0, [label(object)], [find(0.5, torn)])];
    // .50, .55 and .60.
    expect(averagePrecision(queries, AREAS.all)).toEqual({ mean: 0.3, at50: 1, at75: 0, recall: 0.3 });
  });

  it("falls with a wrong detection that is more confident than the right one, but not with a less confident one", () => {
    const ap = (score: number) =>
      averagePrecision(
        [makeQuery(0, 0, [label(object)], [find(0.5, object), find(score, elsewhere)])],
        AREAS.all,
      ).mean;
    expect(ap(0.9)).toBe(0.5);
    expect(ap(0.1)).toBe(1);
  });

  it("judges the 100 most confident detections of a category in a picture", () => {
    const before = (count: number) => [
      ...Array.from({ length: count }, () => find(0.9, dot)),
      find(0.5, object),
    ];
    const recall = (count: number) =>
      averagePrecision([makeQuery(0, 0, [label(object)], before(count))], AREAS.all).recall;
    expect([recall(99), recall(100)]).toEqual([1, 0]);
  });

  it("of a present category without detections is 0; an absent category does not count", () => {
    const missed = makeQuery(0, 0, [label(object)], []);
    const absent = makeQuery(0, 1, [], [find(0.9, dot)]);
    expect(averagePrecision([missed, absent], AREAS.all)).toEqual({ mean: 0, at50: 0, at75: 0, recall: 0 });
    expect(averagePrecision([absent], AREAS.all)).toEqual({
      mean: null,
      at50: null,
      at75: null,
      recall: null,
    });
  });
});

describe("cgF1", () => {
  const found = makeQuery(0, 0, [label(object)], [find(0.9, torn)]);
  const absent = makeQuery(0, 1, [], []);

  it("multiplies the F1 over the IoU thresholds by the correlation between presence and detections", () => {
    expect(classificationGatedF1([found, absent], 0.5)).toEqual({
      threshold: 0.5,
      cgF1: 30,
      positiveMicroF1: 0.3,
      imageLevelMcc: 1,
    });
  });

  it("charges a detection in an empty picture to the correlation, and a surplus one among objects to F1", () => {
    const phantom = makeQuery(1, 0, [], [find(0.9, dot)]);
    const surplus = makeQuery(0, 0, [label(object)], [find(0.9, object), find(0.8, dot)]);
    const { positiveMicroF1, imageLevelMcc } = classificationGatedF1([surplus, absent, phantom], 0.5);
    expect(positiveMicroF1).toBeCloseTo(2 / 3, 12);
    expect(imageLevelMcc).toBe(0.5);
  });

  it("pairs detections and labels for the greatest total overlap, at any scores", () => {
    const query = makeQuery(0, 0, [label(object), label(torn)], [find(0.9, torn), find(0.8, object)]);
    expect(classificationGatedF1([query, absent], 0.5).positiveMicroF1).toBe(1);
  });

  it("leaves out detections below the threshold, and crowds", () => {
    expect(classificationGatedF1([found, absent], 0.9).cgF1).toBe(30);
    expect(byThreshold(judge([found]), 1, [0.9])).toMatchObject([{ finds: 1 }]);
    const crowd = makeQuery(0, 2, [label(object, true)], []);
    expect(classificationGatedF1([found, absent, crowd], 0.95)).toMatchObject({ cgF1: 0, imageLevelMcc: 0 });
    expect(classificationGatedF1([found, absent, crowd], 0.5).imageLevelMcc).toBe(1);
  });
});

describe("the table of thresholds", () => {
  const query = makeQuery(
    0,
    0,
    [label(object), label(elsewhere), label(rectangle(60, 60, 50, 50), true)],
    [find(0.9, torn), find(0.6, dot), find(0.5, rectangle(65, 65, 20, 20)), find(0.3, elsewhere)],
  );
  const judged = judge([query]);

  it("counts all, correct and missed detections at each threshold, without those in crowds", () => {
    expect(judged.map(({ find: { score }, right }) => [score, right])).toEqual([
      [0.9, true],
      [0.6, false],
      [0.3, true],
    ]);
    const [low, middle, high, none] = byThreshold(judged, 2, [0.3, 0.5, 0.7, 0.95]);
    expect(low).toMatchObject({ finds: 3, precision: 2 / 3, recall: 1, f1: 0.8, iou: 0.8 });
    expect(middle).toMatchObject({ finds: 2, precision: 0.5, recall: 0.5, f1: 0.5, iou: 0.6 });
    expect(high).toMatchObject({ finds: 1, precision: 1, recall: 0.5 });
    expect(none).toMatchObject({ finds: 0, precision: null, recall: 0, f1: 0, iou: null, boundaryIou: null });
  });

  it("has the IoU of the boundaries too, which sees less than the masks' share", () => {
    const [row] = byThreshold(judged, 2, [0.7]);
    // 6 pixels wide along the outlines of 40 × 40 and 40 × 24, which share three sides.
    const [outer, inner] = [40 * 40 - 28 * 28, 40 * 24 - 28 * 12];
    const both = 40 * 24 - 28 * 12 - 28 * 6;
    expect(row?.boundaryIou).toBeCloseTo(both / (outer + inner - both), 12);
  });
});

describe("calibration", () => {
  it("compares scores with the share of correct detections, bin by bin", () => {
    const outcomes = [
      { score: 0.2, right: false },
      { score: 0.29, right: true },
      { score: 1, right: true },
      { score: 0.9, right: true },
    ];
    const { bins, error } = calibration(outcomes);
    expect(bins).toHaveLength(10);
    expect(bins[2]).toEqual({ from: 0.2, to: 0.3, finds: 2, claimed: 0.245, right: 0.5 });
    expect(bins[9]).toEqual({ from: 0.9, to: 1, finds: 2, claimed: 0.95, right: 1 });
    expect(bins[5]).toMatchObject({ finds: 0, claimed: null, right: null });
    expect(error).toBeCloseTo((2 * 0.255 + 2 * 0.05) / 4, 12);
  });

  it("of no detections has no error", () => {
    expect(calibration([]).error).toBeNull();
  });
});

it("quantiles are values that occurred", () => {
  expect(quantile([5, 1, 3, 2, 4, 10, 9, 8, 7, 6], 0.9)).toBe(9);
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([], 0.5)).toBeNull();
  expect(mean([])).toBeNull();
});
