import { describe, expect, it } from "vitest";
import { labelledSet } from "../src/labelled-set.ts";
import { averagePrecision } from "../src/measures/average-precision.ts";
import { boundaryOf } from "../src/measures/boundary.ts";
import { classificationGatedF1 } from "../src/measures/cg-f1.ts";
import { AREAS } from "../src/measures/matching.ts";
import { maskOfPolygons } from "../src/measures/polygon.ts";
import { byBoundary, type Query } from "../src/measures/query.ts";
import { maskOfRle } from "../src/measures/mask.ts";
import { queriesOf } from "../src/queries.ts";
import reference from "./reference.json" with { type: "json" };

/** Binary fractions are summed in another order. */
const DIGITS = 10;

const set = labelledSet(reference.labelled, "reference.json");

function queries(): Query[] {
  const index = (items: readonly { id: number }[], id: number): number =>
    items.findIndex((item) => item.id === id);
  const found = reference.results.map(({ image_id, category_id, score, segmentation: { size, counts } }) => ({
    picture: index(set.pictures, image_id),
    category: index(set.categories, category_id),
    mask: maskOfRle([size[0] ?? 0, size[1] ?? 0], counts),
    score,
  }));
  return queriesOf(set, found);
}

describe("on a synthetic set with crowds, ties of the score, all sizes and categories without labels", () => {
  const asked = queries();

  it.each([
    ["mask AP", asked, reference.maskAp],
    ["boundary AP", asked.map(byBoundary), reference.boundaryAp],
  ])("the %s is that of the COCO API", (_, judged, expected) => {
    const { mean, at50, at75, recall } = averagePrecision(judged, AREAS.all);
    expect(mean).toBeCloseTo(expected.mean, DIGITS);
    expect(at50).toBeCloseTo(expected.at50, DIGITS);
    expect(at75).toBeCloseTo(expected.at75, DIGITS);
    expect(recall).toBeCloseTo(expected.recall, DIGITS);
    for (const [area, least, most] of [
      [AREAS.small, expected.small, expected.recallSmall],
      [AREAS.medium, expected.medium, expected.recallMedium],
      [AREAS.large, expected.large, expected.recallLarge],
    ] as const) {
      const ofSize = averagePrecision(judged, area);
      expect(ofSize.mean).toBeCloseTo(least, DIGITS);
      expect(ofSize.recall).toBeCloseTo(most, DIGITS);
    }
  });

  // That evaluator adds 0.0001 to its denominators, against division by zero.
  it.each(reference.cgF1)("cgF1 at $threshold is that of SAM 3's evaluator", ({ threshold, ...expected }) => {
    const { cgF1, positiveMicroF1, imageLevelMcc } = classificationGatedF1(asked, threshold);
    expect(positiveMicroF1).toBeCloseTo(expected.positiveMicroF1, 3);
    expect(imageLevelMcc).toBeCloseTo(expected.imageLevelMcc, 6);
    expect(Math.abs(cgF1 - expected.cgF1)).toBeLessThan(0.02);
  });

  it("the areas of the masks are those of pycocotools", () => {
    expect(set.objects.map(({ mask }) => mask.area)).toEqual(
      reference.labelled.annotations.map(({ area }) => area),
    );
  });
});

it.each(reference.polygons.map((outline, index) => ({ index, ...outline })))(
  "the polygons of outline $index have the pixels that the COCO API draws",
  ({ size: [height = 0, width = 0], polygons, counts }) => {
    expect(maskOfPolygons(polygons, width, height)).toEqual(maskOfRle([height, width], counts));
  },
);

it.each(reference.boundaries)(
  "the boundary of a mask of $mask.size pixels is the paper's",
  ({ mask, boundary }) => {
    const size = [mask.size[0] ?? 0, mask.size[1] ?? 0] as const;
    expect(boundaryOf(maskOfRle(size, mask.counts))).toEqual(maskOfRle(size, boundary));
  },
);
