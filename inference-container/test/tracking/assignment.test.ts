import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assign } from "../../src/tracking/assignment.ts";

const gain = fc.oneof(fc.integer({ min: -3, max: 5 }), fc.double({ min: -1, max: 1, noNaN: true }));
const matrix = fc.record({ rows: fc.nat(6), columns: fc.nat(6) }).chain(({ rows, columns }) =>
  fc.array(fc.array(gain, { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  }),
);

function total(gains: readonly (readonly number[])[], columns: readonly number[]): number {
  return columns.reduce((sum, column, row) => sum + (gains[row]?.[column] ?? 0), 0);
}

/** The greatest sum by trying everything, rows left out included. */
function best([first, ...rest]: readonly (readonly number[])[], taken: readonly number[] = []): number {
  if (first === undefined) return 0;
  const tried = first.flatMap((value, column) =>
    taken.includes(column) ? [] : [value + best(rest, [...taken, column])],
  );
  return Math.max(best(rest, taken), ...tried);
}

test("no assignment has a greater sum of gains", () => {
  fc.assert(
    fc.property(matrix, (gains) => {
      expect(total(gains, assign(gains))).toBeCloseTo(best(gains), 9);
    }),
    { numRuns: 500 },
  );
});

test("an assignment has a column for each row, none twice, and none without a gain", () => {
  fc.assert(
    fc.property(matrix, (gains) => {
      const columns = assign(gains);
      expect(columns.length).toBe(gains.length);
      const used = columns.filter((column) => column !== -1);
      expect(new Set(used).size).toBe(used.length);
      for (const [row, column] of columns.entries())
        if (column !== -1) expect(gains[row]?.[column]).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

test("two hundred rows and columns of known best pairs are found", () => {
  const count = 200;
  const gains = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (__, column) =>
      column === (row * 7 + 3) % count ? 2 : 1 - Math.abs(row - column) / count,
    ),
  );
  expect(assign(gains)).toEqual(Array.from({ length: count }, (_, row) => (row * 7 + 3) % count));
});
