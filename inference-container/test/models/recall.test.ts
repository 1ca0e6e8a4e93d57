import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { Usage } from "../../src/device/usage.ts";
import { GraphSet } from "../../src/models/graph.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { unit } from "../../src/models/arithmetic.ts";
import { Recall } from "../../src/models/sam2/recall.ts";

const CHANNELS = 8;

let graphs: GraphSet;
let recall: Recall;
beforeAll(async () => {
  graphs = new GraphSet("", { ...DEFAULT_LOAD_OPTIONS, threads: 1 });
  recall = await Recall.load(graphs);
});
afterAll(() => graphs.close());

const cells = (most: number, least: number) =>
  fc
    .array(
      fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: CHANNELS, maxLength: CHANNELS }),
      {
        minLength: least,
        maxLength: most,
      },
    )
    .map((rows) => rows.map((row) => unit(Float32Array.from(row))));

const flat = (rows: readonly Float32Array[]) => ({
  channels: CHANNELS,
  looks: Float32Array.from(rows.flatMap((row) => [...row])),
});

/** What the graph computes, in words: the ten nearest cells' shares, weighed by a softmax of cosines over 0.07. */
function plain(
  rows: readonly Float32Array[],
  known: readonly Float32Array[],
  inside: readonly number[],
): number[] {
  return rows.map((row) => {
    const near = known
      .map(
        (other, at) =>
          [row.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0), inside[at] ?? 0] as const,
      )
      .toSorted(([a], [b]) => b - a)
      .slice(0, 10);
    const weights = near.map(([cosine]) => Math.exp((cosine - (near[0]?.[0] ?? 0)) / 0.07));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return near.reduce((sum, [, share], at) => sum + share * ((weights[at] ?? 0) / total), 0);
  });
}

test("a cell's votes are those of the ten known cells that look most like it", async () => {
  await fc.assert(
    fc.asyncProperty(
      cells(6, 1),
      cells(30, 10),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async (rows, known, stream) => {
        const inside = [...stream.take(known.length)];
        // Cells that look the same to the last digit may stand in either order.
        const votes = await recall.votes(
          flat(rows),
          { ...flat(known), inside: Float32Array.from(inside) },
          new Usage(),
        );
        const expected = plain(rows, known, inside);
        expect(votes).toHaveLength(rows.length);
        for (const [at, vote] of votes.entries()) expect(vote).toBeCloseTo(expected[at] ?? NaN, 2);
      },
    ),
    { numRuns: 50 },
  );
});

test("a cell that looks like the object's has all its votes, one that looks like the rest has none", async () => {
  const axis = (at: number) => Float32Array.from({ length: CHANNELS }, (_, i) => (i === at ? 1 : 0));
  const known = Array.from({ length: 20 }, (_, i) => axis(i < 10 ? 0 : 1));
  const inside = Float32Array.from({ length: 20 }, (_, i) => (i < 10 ? 1 : 0));
  const votes = await recall.votes(
    flat([axis(0), axis(1), axis(0)]),
    { ...flat(known), inside },
    new Usage(),
  );
  expect([...votes]).toEqual([1, 0, 1]);
});
