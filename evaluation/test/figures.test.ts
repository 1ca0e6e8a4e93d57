import { describe, expect, it } from "vitest";
import { detectionsOf } from "../src/queries.ts";
import { measureAnswers } from "../src/figures.ts";
import { labelledSet } from "../src/labelled-set.ts";
import { maskOfRle, maskOfSwitches } from "../src/measures/mask.ts";
import { queriesOf } from "../src/queries.ts";
import { rectangle, SIDE } from "./squares.ts";

const [dog, crowd] = [rectangle(50, 50, 60, 60), rectangle(150, 0, 40, 40)];
const set = labelledSet(
  {
    images: [{ id: 7, file_name: "a.png", width: SIDE, height: SIDE }],
    categories: [
      { id: 1, name: "cat" },
      { id: 4, name: "dog" },
    ],
    annotations: [
      { id: 1, image_id: 7, category_id: 1, segmentation: [[0, 0, 20, 0, 20, 20, 0, 20]], area: 400 },
      {
        id: 2,
        image_id: 7,
        category_id: 4,
        segmentation: [[50, 50, 110, 50, 110, 110, 50, 110]],
        area: 3600,
      },
      { id: 3, image_id: 7, category_id: 4, segmentation: [[150, 0, 190, 0, 190, 40, 150, 40]], iscrowd: 1 },
    ],
  },
  "labels.json",
);
const found = [
  { picture: 0, category: 1, score: 0.45, mask: dog },
  { picture: 0, category: 1, score: 0.9, mask: crowd },
  { picture: 0, category: 0, score: 0.8, mask: dog },
];
const figures = (threshold: number, drawn: Parameters<typeof measureAnswers>[2]["drawn"] = null) =>
  measureAnswers(set, queriesOf(set, found), { drawn, ms: [100, 300, 200] }, threshold);

describe("the figures of a set", () => {
  it("counts each category's detections in each picture, without those in crowds", () => {
    const { maskAp, byThreshold, cgF1 } = figures(0.05);
    expect(maskAp.all.mean).toBe(0.5);
    expect(maskAp.small.mean).toBe(0);
    expect(maskAp.medium.mean).toBe(1);
    expect(maskAp.large.mean).toBeNull();
    const row = byThreshold.find(({ threshold }) => threshold === 0.45);
    expect(row).toMatchObject({ finds: 2, precision: 0.5, recall: 0.5, iou: 1, boundaryIou: 1 });
    expect(cgF1.map(({ threshold }) => threshold)).toEqual(byThreshold.map(({ threshold }) => threshold));
  });

  it("has no rows below the requested threshold", () => {
    expect(
      figures(0.4)
        .byThreshold.map(({ threshold }) => threshold)
        .slice(0, 3),
    ).toEqual([0.4, 0.45, 0.5]);
    expect(figures(0).byThreshold).toHaveLength(20);
  });

  it("sorts masks of boxes and of points by the sizes of the objects, and has none if the subject draws no regions", () => {
    const [small, medium] = [set.objects[0] ?? expect.fail(), set.objects[1] ?? expect.fail()];
    const half = rectangle(0, 0, 20, 10);
    const { boxes, points } = figures(0.05, [
      { object: small, by: "box", mask: half },
      { object: small, by: "point", mask: rectangle(0, 0, 20, 20) },
      { object: medium, by: "box", mask: dog },
    ]);
    expect(boxes).toEqual({
      all: { objects: 2, iou: 0.75 },
      small: { objects: 1, iou: 0.5 },
      medium: { objects: 1, iou: 1 },
      large: { objects: 0, iou: null },
    });
    expect(points?.all).toEqual({ objects: 1, iou: 1 });
    expect(figures(0.05)).toMatchObject({ boxes: null, points: null });
  });

  it("returns the median of the times, and what nine of ten pictures do not exceed", () => {
    expect(figures(0.05).ms).toEqual({ median: 200, p90: 300 });
  });
});

it("detections carry the set's ids, and masks that decode to the found ones", () => {
  const [first, , third] = detectionsOf(set, found);
  expect(first).toMatchObject({ image_id: 7, category_id: 4, score: 0.45 });
  expect(third).toMatchObject({ image_id: 7, category_id: 1, score: 0.8 });
  const { size, counts } = first?.segmentation ?? expect.fail();
  expect(maskOfRle(size, counts)).toEqual(dog);
  const wide = { picture: 0, category: 0, score: 1, mask: maskOfSwitches(4, 3, Int32Array.of(0, 3)) };
  expect(detectionsOf(set, [wide])[0]?.segmentation).toEqual({ size: [3, 4], counts: "039" });
});
