import type { Corners } from "@segmentation/masks";
import * as fc from "fast-check";
import { Tensor } from "../../../src/onnx/runtime.ts";
import { describe, expect, it } from "vitest";
import type { Tensors } from "../../../src/models/graph.ts";
import { findInstances } from "../../../src/models/sam3/instances.ts";
import type { Outputs } from "../../../src/models/sam3/manifest.ts";
import { sigmoid } from "./fixture-folder.ts";

const OUTPUTS: Outputs = {
  boxes: { format: "xyxy", space: "unit" },
  scores: "logits",
  masks: "logits",
  floor: 0.3,
  faintFloor: 0.1,
  nmsIou: null,
};
const PICTURE = { width: 400, height: 200 };
const ALL = { threshold: 0, withFaint: true };

const WHOLE: Corners = [0, 0, 1, 1];

function floats(values: readonly number[], dims: readonly number[]): Tensor {
  return new Tensor("float32", Float32Array.from(values), dims);
}

/** A decoder's results for queries with one box and logit each, and masks of one pixel; it is sure of the prompt's presence. */
function results(queries: readonly { box: Corners; logit: number }[]): Tensors {
  const count = queries.length;
  return {
    boxes: floats(
      queries.flatMap(({ box }) => box),
      [count, 4],
    ),
    scores: floats(
      queries.map(({ logit }) => logit),
      [1, count],
    ),
    presence: floats([100], [1, 1]),
    masks: floats(
      queries.map((_, place) => place),
      [count, 1, 1],
    ),
  };
}

function find(
  tensors: Tensors,
  changes: Partial<Outputs> = {},
  request = ALL,
): ReturnType<typeof findInstances> {
  return findInstances(tensors, { ...OUTPUTS, ...changes }, PICTURE, request);
}

const share = fc.double({ min: 0.01, max: 0.4, noNaN: true });
const unitBoxes = fc
  .tuple(share, share, share, share)
  .map(([x, y, w, h]): Corners => [x, y, x + w + 0.05, y + h + 0.05]);

describe("a query's box", () => {
  it("is in the picture's pixels", () => {
    fc.assert(
      fc.property(unitBoxes, ([x1, y1, x2, y2]) => {
        const [found] = find(results([{ box: [x1, y1, x2, y2], logit: 2 }]));
        const expected = [x1 * 400, y1 * 200, x2 * 400, y2 * 200];
        for (const [side, value] of expected.entries()) expect(found?.box[side]).toBeCloseTo(value, 2);
      }),
    );
  });

  it("is cut at the picture's edges, and a query with a box outside is dropped", () => {
    const found = find(
      results([
        { box: [-0.5, 0.5, 0.5, 1.5], logit: 2 },
        { box: [1.1, 0, 1.2, 1], logit: 1 },
      ]),
    );
    expect(found.map(({ box }) => box)).toEqual([[0, 100, 200, 200]]);
  });
});

describe("a query's score", () => {
  it("is the query's probability times the presence probability", () => {
    const logit = fc.double({ min: -6, max: 6, noNaN: true });
    fc.assert(
      fc.property(logit, logit, (score, presence) => {
        const tensors = { ...results([{ box: WHOLE, logit: score }]), presence: floats([presence], [1, 1]) };
        const [found] = find(tensors, { faintFloor: 0 });
        expect(found?.score).toBeCloseTo(sigmoid(score) * sigmoid(presence), 5);
      }),
    );
  });

  it("orders the instances, and keeps those at or above the threshold", () => {
    const scores = fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 8 });
    const floor = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
    fc.assert(
      fc.property(scores, floor, floor, fc.boolean(), (logits, threshold, manifestFloor, withFaint) => {
        const given = logits.map((value) => Math.fround(sigmoid(value)));
        const tensors = results(logits.map((value) => ({ box: WHOLE, logit: value })));
        const changes = { floor: manifestFloor, faintFloor: manifestFloor / 2 };
        const found = find(tensors, changes, { threshold, withFaint });
        const least = Math.max(threshold, withFaint ? manifestFloor / 2 : manifestFloor);
        const expected = given.filter((score) => score >= least).toSorted((a, b) => b - a);
        expect(found.map(({ score }) => score)).toEqual(expected);
        for (const { score, faint, mask } of found) {
          expect(faint).toBe(score < manifestFloor);
          expect(given[mask.logits[0] ?? -1]).toBe(score);
        }
      }),
    );
  });

  it("that is NaN gives no instance", () => {
    expect(find(results([{ box: WHOLE, logit: Number.NaN }]))).toEqual([]);
  });
});

describe("queries that overlap", () => {
  const overlapping = results([
    { box: [0, 0, 0.5, 0.5], logit: 0 },
    { box: [0, 0, 0.5, 0.51], logit: 2 },
  ]);

  it("all begin a track unless the manifest says otherwise", () => {
    expect(find(overlapping)).toHaveLength(2);
  });

  it("give way to the best if it does", () => {
    expect(find(overlapping, { nmsIou: 0.7 }).map(({ score }) => Number(score.toFixed(3)))).toEqual([0.881]);
  });
});

describe("a decoder that contradicts itself", () => {
  it("is an error, and no wrong masks", () => {
    const tensors = { ...results([{ box: WHOLE, logit: 2 }]), scores: floats([2, 1], [1, 2]) };
    expect(() => find(tensors)).toThrow("The decoder gave 2 scores, 1 boxes and 1 masks.");
  });
});
