import * as fc from "fast-check";
import { Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { findRuns } from "../../../src/masks/runs/find-runs.ts";
import type { Tensors } from "../../../src/models/graph.ts";
import { findInstances } from "../../../src/models/sam3/instances.ts";
import type { Outputs } from "../../../src/models/sam3/manifest.ts";
import { sigmoid } from "./planted-folder.ts";

const OUTPUTS: Outputs = {
  boxes: { format: "xyxy", space: "unit" },
  scores: "probabilities",
  masks: "logits",
  floor: 0.3,
  faintFloor: 0.1,
  nmsIou: null,
};
const PICTURE = { width: 400, height: 200 };
const TOLD = { width: 100, height: 80 };
const ALL = { threshold: 0, withFaint: true };

type Box = readonly [number, number, number, number];
const WHOLE: Box = [0, 0, 1, 1];

function floats(values: readonly number[], dims: readonly number[]): Tensor {
  return new Tensor("float32", Float32Array.from(values), dims);
}

/** A decoder's results for queries with one box and score each, and masks of one pixel. */
function results(queries: readonly { box: Box; score: number }[]): Tensors {
  const count = queries.length;
  return {
    boxes: floats(
      queries.flatMap(({ box }) => box),
      [count, 4],
    ),
    scores: floats(
      queries.map(({ score }) => score),
      [count],
    ),
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
  return findInstances(tensors, { ...OUTPUTS, ...changes }, PICTURE, TOLD, request);
}

const share = fc.double({ min: 0.01, max: 0.4, noNaN: true });
const unitBoxes = fc
  .tuple(share, share, share, share)
  .map(([x, y, w, h]): Box => [x, y, x + w + 0.05, y + h + 0.05]);

describe("a query's box", () => {
  it("is the same in the picture's pixels however the decoder writes it", () => {
    fc.assert(
      fc.property(unitBoxes, ([x1, y1, x2, y2]) => {
        const centre: Box = [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1];
        const inPixels = ([a, b, c, d]: Box): Box => [
          a * TOLD.width,
          b * TOLD.height,
          c * TOLD.width,
          d * TOLD.height,
        ];
        const written = [
          [[x1, y1, x2, y2], { format: "xyxy", space: "unit" }],
          [centre, { format: "cxcywh", space: "unit" }],
          [inPixels([x1, y1, x2, y2]), { format: "xyxy", space: "pixels" }],
          [inPixels(centre), { format: "cxcywh", space: "pixels" }],
        ] as const;
        for (const [box, boxes] of written) {
          const [found] = find(results([{ box, score: 0.9 }]), { boxes });
          const expected = [x1 * 400, y1 * 200, x2 * 400, y2 * 200];
          for (const [side, value] of expected.entries()) expect(found?.box[side]).toBeCloseTo(value, 2);
        }
      }),
    );
  });

  it("is cut at the picture's edges, and a query whose box lies outside is none", () => {
    const found = find(
      results([
        { box: [-0.5, 0.5, 0.5, 1.5], score: 0.9 },
        { box: [1.1, 0, 1.2, 1], score: 0.8 },
      ]),
    );
    expect(found.map(({ box }) => box)).toEqual([[0, 100, 200, 200]]);
  });
});

describe("a query's score", () => {
  it("is the chance of the query times the chance that there is anything", () => {
    const logit = fc.double({ min: -6, max: 6, noNaN: true });
    fc.assert(
      fc.property(logit, logit, (score, presence) => {
        const tensors = { ...results([{ box: WHOLE, score }]), presence: floats([presence], [1, 1]) };
        const [found] = find(tensors, { scores: "logits", faintFloor: 0 });
        expect(found?.score).toBeCloseTo(sigmoid(score) * sigmoid(presence), 5);
      }),
    );
  });

  it("orders the instances, and keeps those at or above what is asked", () => {
    const scores = fc.array(
      fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8),
      { maxLength: 8 },
    );
    const floor = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
    fc.assert(
      fc.property(scores, floor, floor, fc.boolean(), (given, threshold, manifestFloor, withFaint) => {
        const tensors = results(given.map((score) => ({ box: WHOLE, score })));
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
    expect(find(results([{ box: WHOLE, score: Number.NaN }]))).toEqual([]);
  });
});

describe("queries that overlap", () => {
  const overlapping = results([
    { box: [0, 0, 0.5, 0.5], score: 0.5 },
    { box: [0, 0, 0.5, 0.51], score: 0.9 },
  ]);

  it("all stand where the manifest doesn't say otherwise", () => {
    expect(find(overlapping)).toHaveLength(2);
  });

  it("give way to the best where it does", () => {
    expect(find(overlapping, { nmsIou: 0.7 }).map(({ score }) => Number(score.toFixed(3)))).toEqual([0.9]);
  });
});

describe("masks of whether a pixel is set", () => {
  const [width, height] = [160, 120];
  const drawn = (count: number): Tensors => ({
    ...results(Array.from({ length: count }, (_, i) => ({ box: WHOLE, score: 1 - i / 200 }))),
    masks: new Tensor(
      "bool",
      Uint8Array.from({ length: count * width * height }, (_, i) => (i % 3 === 0 ? 1 : 0)),
      [count, 1, height, width],
    ),
  });

  it("take a byte per pixel of each object that is kept, and hold nothing else", () => {
    const found = find(drawn(100), { masks: "binary" }, { threshold: 0.75, withFaint: false });
    expect(found).toHaveLength(51);
    const buffers = new Set(found.map(({ mask }) => mask.logits.buffer));
    const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBe(found.length * width * height);
  });

  it("stay what they are at any threshold of a request", () => {
    const [found] = find(drawn(1), { masks: "binary" });
    const expected = Array.from({ length: width * height }, (_, i) => i % 3 === 0);
    for (const threshold of [1e-9, 0.5, 1 - 1e-9]) {
      const { area } = findRuns(
        found?.mask ?? { width, height, logits: new Int8Array() },
        width,
        height,
        threshold,
      );
      expect(area).toBe(expected.filter(Boolean).length);
    }
  });
});

describe("a decoder that contradicts itself", () => {
  it("is an error, and no wrong masks", () => {
    const tensors = { ...results([{ box: WHOLE, score: 0.9 }]), scores: floats([0.9, 0.8], [2]) };
    expect(() => find(tensors)).toThrow("The decoder gave 2 scores, 1 boxes and 1 masks.");
    expect(() => find(results([{ box: WHOLE, score: 0.9 }]), { masks: "binary" })).toThrow(
      "The masks are float32, not bool.",
    );
  });
});
