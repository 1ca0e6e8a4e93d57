import * as fc from "fast-check";
import { expect, it } from "vitest";
import { components } from "@segmentation/masks";

/** Fills from cell to cell, in the order of the first cells. */
function filled(width: number, values: Uint8Array, value: number, overCorners: boolean): number[][] {
  const seen = new Set<number>();
  const found: number[][] = [];
  for (const [start, one] of values.entries()) {
    if (one !== value || seen.has(start)) continue;
    const cells = [start];
    seen.add(start);
    for (const cell of cells)
      for (const [other, of] of values.entries()) {
        const [dx, dy] = [
          Math.abs((other % width) - (cell % width)),
          Math.abs(Math.floor(other / width) - Math.floor(cell / width)),
        ];
        const touches = overCorners ? Math.max(dx, dy) === 1 : dx + dy === 1;
        if (of !== value || !touches || seen.has(other)) continue;
        seen.add(other);
        cells.push(other);
      }
    found.push(cells.toSorted((a, b) => a - b));
  }
  return found;
}

const grids = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      values: fc.uint8Array({ min: 0, max: 2, minLength: width * height, maxLength: width * height }),
    }),
  );

it("finds the connected sets that filling from cell to cell finds", () => {
  fc.assert(
    fc.property(grids, fc.nat(2), fc.boolean(), ({ width, height, values }, value, overCorners) => {
      const found = components({ width, height }, values, value, overCorners);
      const expected = filled(width, values, value, overCorners);
      expect(found.map(({ cells }) => cells())).toEqual(expected);
      expect(found.map(({ area }) => area)).toEqual(expected.map(({ length }) => length));
      expect(found.map(({ touchesEdge }) => touchesEdge)).toEqual(
        expected.map((cells) =>
          cells.some(
            (cell) =>
              [0, width - 1].includes(cell % width) || [0, height - 1].includes(Math.floor(cell / width)),
          ),
        ),
      );
    }),
  );
});
