import { describe, expect, it } from "vitest";
import { mergeViews } from "../../../src/models/builtin/views.ts";
import type { Labelled } from "../../../src/models/labels/model.ts";

const at = (x: number, score: number, label = 0): Labelled => ({ label, score, box: [x, 0, x + 100, 100] });

describe("objects in several views", () => {
  it("are one object if boxes of a label overlap: with the best score, between the boxes by their scores", () => {
    expect(mergeViews([at(10, 0.2), at(0, 0.6)], 0.55)).toEqual([
      { label: 0, score: 0.6, box: [expect.closeTo(2.5), 0, expect.closeTo(102.5), 100] },
    ]);
  });

  it("are several if they lie apart or have different labels, best first", () => {
    const apart = [at(0, 0.3), at(60, 0.5), at(0, 0.4, 1)];
    expect(mergeViews(apart, 0.55).map(({ label, score }) => [label, score])).toEqual([
      [0, 0.5],
      [1, 0.4],
      [0, 0.3],
    ]);
  });

  it("joins boxes that overlap the best one, not those that overlap a joined one", () => {
    expect(mergeViews([at(0, 0.9), at(25, 0.8), at(50, 0.7)], 0.55)).toHaveLength(2);
  });
});
