import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMask, cleanRegion, components, type LogitGrid, type Region } from "@segmentation/masks";
import { plainMask } from "../../support/masks/plain-mask.ts";

const CLEANING = { islandShare: 0.2, holeShare: 0.5 };

/** A grid drawn with "#" inside and "." outside. */
function grid(...rows: string[]): LogitGrid {
  const logits = Float32Array.from(rows.join(""), (cell) => (cell === "#" ? 2 : -3));
  return { width: rows[0]?.length ?? 0, height: rows.length, logits };
}

function drawn({ width, logits }: LogitGrid): string[] {
  const cells = Array.from(logits, (logit) => (logit > 0 ? "#" : ".")).join("");
  return cells.match(new RegExp(`.{${width}}`, "g")) ?? [];
}

describe("cleaning a mask", () => {
  it("fills a hole and drops an island", () => {
    expect(drawn(cleanMask(grid("#####..", "#...#..", "#####..", ".......", "......#"), CLEANING))).toEqual([
      "#####..",
      "#####..",
      "#####..",
      ".......",
      ".......",
    ]);
  });

  it("keeps a part that is large in comparison with the largest", () => {
    const halves = grid("######.#####", "######.#####");
    expect(drawn(cleanMask(halves, CLEANING))).toEqual(drawn(halves));
  });

  it("keeps a hole that is larger than its share", () => {
    const ring = grid("#######", "#.....#", "#.....#", "#.....#", "#.....#", "#######");
    expect(drawn(cleanMask(ring, CLEANING))).toEqual(drawn(ring));
  });

  it("keeps a bay that is open to the edge", () => {
    const bay = grid("##.##", "##.##", "#####");
    expect(drawn(cleanMask(bay, CLEANING))).toEqual(drawn(bay));
  });

  it("flips the sign and keeps the size, so that zero crossings stay if an edge was", () => {
    const cleaned = cleanMask(grid("###", "#.#", "###"), CLEANING);
    expect(cleaned.logits[4]).toBe(3);
  });

  it("cleans a mask at any place: its surroundings don't count", () => {
    const cells = fc.array(fc.boolean(), { minLength: 64, maxLength: 64 });
    const placed = (set: readonly boolean[], side: number, x: number, y: number): LogitGrid => {
      const logits = new Float32Array(side * side).fill(-3);
      for (const [at, one] of set.entries())
        logits[(y + Math.floor(at / 8)) * side + x + (at % 8)] = one ? 2 : -3;
      return { width: side, height: side, logits };
    };
    const shift = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(cells, shift, shift, (set, x, y) => {
        const [here, there] = [placed(set, 10, 1, 1), placed(set, 14, x, y)].map((one) =>
          cleanMask(one, CLEANING),
        );
        const inner = Array.from(set, (_, at) => (1 + Math.floor(at / 8)) * 10 + 1 + (at % 8));
        const moved = Array.from(set, (_, at) => (y + Math.floor(at / 8)) * 14 + x + (at % 8));
        expect(moved.map((cell) => there?.logits[cell])).toEqual(inner.map((cell) => here?.logits[cell]));
      }),
    );
  });

  it("leaves its input alone, changes signs only and never empties a mask", () => {
    const logits = fc.array(fc.float({ min: -10, max: 10, noNaN: true }), { minLength: 144, maxLength: 144 });
    fc.assert(
      fc.property(logits, (values) => {
        const before: LogitGrid = { width: 12, height: 12, logits: Float32Array.from(values) };
        const copy = before.logits.slice();
        const after = cleanMask(before, CLEANING);
        expect(before.logits).toEqual(copy);
        for (const [i, logit] of after.logits.entries())
          expect(Math.abs(Math.abs(logit) - Math.abs(copy[i] ?? 0))).toBeLessThanOrEqual(Number.EPSILON);
        expect(after.logits.some((logit) => logit > 0)).toBe(copy.some((logit) => logit > 0));
      }),
    );
  });
});

describe("cleaning the mask of a region", () => {
  const SIZE = { width: 12, height: 12 };
  const logits = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 144, maxLength: 144 });
  const masks = logits.map((values): LogitGrid => ({ ...SIZE, logits: Float32Array.from(values) }));
  /** A picture as large as the grid, a smaller one, or a larger one whose sides are no multiples of the grid's. */
  const pictures = fc.constantFrom(SIZE, { width: 7, height: 5 }, { width: 50, height: 41 });
  const drawings = fc.tuple(masks, pictures).chain(([mask, picture]) => {
    const place = fc.record({
      x: fc.double({ min: 0, max: picture.width, maxExcluded: true, noNaN: true }),
      y: fc.double({ min: 0, max: picture.height, maxExcluded: true, noNaN: true }),
      label: fc.constantFrom<0 | 1>(0, 1),
    });
    return fc.record({
      mask: fc.constant(mask),
      picture: fc.constant(picture),
      points: fc.array(place, { minLength: 1, maxLength: 5 }),
    });
  });

  it("of points fills only specks, and drops small parts", () => {
    const before = grid(
      "########",
      "#......#",
      "########",
      "########",
      "#..#####",
      "########",
      "........",
      "##...###",
      "##...###",
    );
    expect(drawn(cleanRegion(before, { points: [] }, { width: 8, height: 9 }, CLEANING))).toEqual([
      "########",
      "#......#",
      "########",
      "########",
      "########",
      "########",
      "........",
      "........",
      "........",
    ]);
    const part = { points: [{ x: 6, y: 8, label: 1 }] } as const;
    expect(drawn(cleanRegion(before, part, { width: 8, height: 9 }, CLEANING)).at(-1)).toBe(".....###");
  });

  it("removes the same from the mask of a box as from an object found by words", () => {
    const before = grid("#####..", "#...#..", "#####..", ".......", "#.....#");
    const box = { box: [0, 0, 7, 5] } as const;
    expect(cleanRegion(before, box, { width: 7, height: 5 }, CLEANING)).toEqual(cleanMask(before, CLEANING));
  });

  it("leaves a speck under a point, and a speck of the corrected mask", () => {
    const before = grid("#####..", "#.#.#..", "#####..", ".......", "#.....#");
    const picture = { width: 70, height: 50 };
    const cleaned = (region: Region) => drawn(cleanRegion(before, region, picture, CLEANING));
    const hole = { x: 15, y: 15, label: 0 } as const;
    const island = { x: 5, y: 45, label: 1 } as const;
    expect(cleaned({ points: [hole, island] })).toEqual([
      "#####..",
      "#.###..",
      "#####..",
      ".......",
      "#......",
    ]);
    expect(
      cleaned({ points: [hole], prior: grid("#####..", "###.#..", "#####..", ".......", "......#") }),
    ).toEqual(drawn(grid("#####..", "#.#.#..", "#####..", ".......", "......#")));
    const contrary: Region = {
      points: [
        { ...hole, label: 1 },
        { ...island, label: 0 },
      ],
    };
    expect(cleaned(contrary), "a point that says the contrary").toEqual([
      "#####..",
      "#####..",
      "#####..",
      ".......",
      ".......",
    ]);
  });

  it("never changes the part or the hole that a point is in, if the point says that it is one", () => {
    fc.assert(
      fc.property(drawings, ({ mask, picture, points }) => {
        const after = cleanRegion(mask, { points }, picture, CLEANING);
        for (const { x, y, label } of points) {
          const cell = cellAt(x, picture.width) + 12 * cellAt(y, picture.height);
          const isSet = label === 1;
          const sides = Uint8Array.from(mask.logits, (one) => Number(one > 0));
          for (const part of components(SIZE, sides, Number(isSet), isSet))
            if (part.cells().includes(cell))
              for (const one of part.cells()) expect(after.logits[one]).toBe(mask.logits[one]);
        }
      }),
    );
  });

  it("keeps every pixel that obeyed its point, also at an edge between cells", () => {
    fc.assert(
      fc.property(drawings, ({ mask, picture, points }) => {
        const [before, after] = [mask, cleanRegion(mask, { points }, picture, CLEANING)].map((one) =>
          plainMask(one, picture.width, picture.height, 0.5),
        );
        for (const { x, y, label } of points) {
          const pixel = Math.floor(y) * picture.width + Math.floor(x);
          if (before?.[pixel] === (label === 1)) expect(after?.[pixel]).toBe(before[pixel]);
        }
      }),
    );
  });

  /** The cell in which the middle of a place's pixel is, along a side of twelve. */
  const cellAt = (place: number, pixels: number): number =>
    Math.floor(((Math.floor(place) + 0.5) * 12) / pixels);
});
