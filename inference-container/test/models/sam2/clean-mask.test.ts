import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMask } from "../../../src/models/sam2/clean-mask.ts";
import type { LogitGrid } from "../../../src/models/model.ts";

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

  it("keeps a part that is large beside the largest", () => {
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

  it("flips the sign and keeps the size, so that zero crossings stay where an edge was", () => {
    const cleaned = cleanMask(grid("###", "#.#", "###"), CLEANING);
    expect(cleaned.logits[4]).toBe(3);
  });

  it("cleans what is drawn wherever it lies: nothing around it counts", () => {
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
