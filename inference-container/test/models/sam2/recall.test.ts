import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { Usage } from "../../../src/device/usage.ts";
import { unit } from "../../../src/models/arithmetic.ts";
import { GraphSet } from "../../../src/models/graph.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../../src/models/loaded-model.ts";
import { Recall } from "../../../src/models/sam2/recall.ts";
import { plainVotes } from "../../support/video/plain-votes.ts";

const CHANNELS = 8;

let graphs: GraphSet;
let recall: Recall;
beforeAll(async () => {
  graphs = new GraphSet("", { ...DEFAULT_LOAD_OPTIONS, threads: 1 });
  recall = await Recall.load(graphs);
});
afterAll(() => graphs.close());

const flat = (rows: readonly Float32Array[]) => ({
  channels: CHANNELS,
  appearance: Float32Array.from(rows.flatMap((row) => [...row])),
});

const row = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: CHANNELS, maxLength: CHANNELS })
  .map((values) => unit(Float32Array.from(values)));
const knownCells = fc.array(fc.tuple(row, fc.double({ min: 0, max: 1, noNaN: true })), {
  minLength: 10,
  maxLength: 30,
});

test("a cell's votes are those of the ten known cells that look most like it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), knownCells, async (rows, cells) => {
      const known = {
        ...flat(cells.map(([appearance]) => appearance)),
        inside: Float32Array.from(cells, ([, share]) => share),
      };
      const expected = plainVotes(flat(rows), known);
      const votes = await recall.votes(flat(rows), structuredClone(known), new Usage());
      expect(votes).toHaveLength(rows.length);
      for (const [at, vote] of votes.entries()) {
        // Of cells that are equally near, either may be the tenth.
        const near = cells
          .map(([other]) => (rows[at] ?? other).reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0))
          .toSorted((a, b) => b - a);
        if (near.length === 10 || (near[9] ?? 0) - (near[10] ?? 0) > 1e-5)
          expect(vote).toBeCloseTo(expected[at] ?? NaN, 3);
      }
    }),
    { numRuns: 50 },
  );
});

test("a cell that looks like the object has all votes, one that looks like the rest has none", async () => {
  const axis = (at: number) => Float32Array.from({ length: CHANNELS }, (_, i) => (i === at ? 1 : 0));
  const known = Array.from({ length: 20 }, (_, i) => axis(i < 10 ? 0 : 1));
  const inside = Float32Array.from({ length: 20 }, (_, i) => (i < 10 ? 1 : 0));
  const cells = flat([axis(0), axis(1), axis(0)]);
  expect([...(await recall.votes(cells, { ...flat(known), inside }, new Usage()))]).toEqual([1, 0, 1]);
});
