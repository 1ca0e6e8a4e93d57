import fc from "fast-check";
import { expect, test } from "vitest";
import { clicksOf, type Region } from "@segmentation/masks";
import { runsOf, warmUpRuns } from "../../../src/models/sam2/regions.ts";

const prior = { width: 1, height: 1, logits: Float32Array.of(1) };
const points = fc.array(fc.record({ x: fc.nat(99), y: fc.nat(99), label: fc.constantFrom<0 | 1>(0, 1) }), {
  minLength: 1,
  maxLength: 4,
});
const region: fc.Arbitrary<Region> = fc
  .tuple(
    fc.oneof(
      fc.constant({ box: [1, 2, 3, 4] } as const),
      points.map((drawn) => ({ points: drawn })),
    ),
    fc.boolean(),
  )
  .map(([where, hasPrior]) => ({ ...where, ...(hasPrior && { prior }) }));

test("SAM labels a box's corners 2 and 3, a point on the object 1 and one outside it 0", () => {
  expect(clicksOf({ box: [1, 2, 3, 4] })).toEqual([
    { x: 1, y: 2, label: 2 },
    { x: 3, y: 4, label: 3 },
  ]);
  const given = [
    { x: 5, y: 6, label: 1 },
    { x: 7, y: 8, label: 0 },
  ] as const;
  expect(clicksOf({ points: given })).toEqual(given);
});

test("each region is in one run of the decoder, whose regions have as many clicks and all a prior or none", () => {
  fc.assert(
    fc.property(fc.array(region, { maxLength: 30 }), fc.integer({ min: 1, max: 8 }), (regions, size) => {
      const runs = runsOf(regions, size);
      expect(runs.flat().toSorted((a, b) => a - b)).toEqual([...regions.keys()]);
      for (const run of runs) {
        expect(run.length).toBeLessThanOrEqual(size);
        const some = run.flatMap((index) => regions[index] ?? []);
        expect(new Set(some.map((one) => clicksOf(one).length)).size).toBe(1);
        expect(new Set(some.map((one) => one.prior !== undefined)).size).toBe(1);
      }
    }),
  );
});

test("the decoder is warmed up for every number of boxes, with priors and without, and for one click", () => {
  const shapeOf = (run: readonly Region[]): string => {
    const [first = { points: [] }] = run;
    return `${run.length} of ${clicksOf(first).length}${first.prior === undefined ? "" : " with a prior"}`;
  };
  const runs = warmUpRuns(3, { width: 64, height: 48 }, prior);
  // Each is one run of the decoder.
  for (const run of runs) expect(runsOf(run, 3)).toHaveLength(1);
  expect(new Set(runs.map(shapeOf))).toEqual(
    new Set([
      "1 of 2",
      "2 of 2",
      "3 of 2",
      "1 of 2 with a prior",
      "2 of 2 with a prior",
      "3 of 2 with a prior",
      "1 of 1",
    ]),
  );
});
