import { describe, expect, test } from "vitest";
import { type Candidate, chosen, type LogitGrid, type Region } from "@segmentation/masks";

const PICTURE = { width: 200, height: 100 };
/** A two-hundredth of the picture. */
const SMALL: Region = { box: [0, 0, 10, 10] };
const LARGE: Region = { box: [0, 0, 10, 11] };
const ON = { x: 1, y: 1, label: 1 } as const;
const BESIDE = { x: 8, y: 8, label: 0 } as const;
const CLICK: Region = { points: [ON] };

/** A row of cells. */
const grid = (...logits: number[]): LogitGrid => ({
  width: logits.length,
  height: 1,
  logits: Float32Array.from(logits),
});
const candidate = (quality: number, mask = grid(9, 9, -9, -9)): Candidate => ({ mask, quality });

const one = candidate(0.5);
const part = candidate(0.6);
const best = candidate(0.9);
const whole = candidate(0.7);
const FOUR = [one, part, best, whole];

describe("of the one mask and the three alternatives that SAM 2's decoder draws", () => {
  test("a single point, which may mean several things, gets the alternative that is rated best [A5-5]", () => {
    expect(chosen(FOUR, CLICK, PICTURE)).toBe(best);
    expect(chosen([candidate(0.99), part, best, whole], CLICK, PICTURE)).toBe(best);
  });

  test("a single point gets no alternative that lacks it, if another has it [A5-5]", () => {
    const elsewhere = candidate(0.95, grid(-9, -9, 9, 9));
    expect(chosen([one, part, elsewhere, whole], CLICK, PICTURE)).toBe(whole);
    expect(chosen([one, elsewhere, elsewhere, elsewhere], CLICK, PICTURE)).toBe(elsewhere);
  });

  test.for<readonly [string, Region]>([
    ["a small box", SMALL],
    ["two points on the object", { points: [ON, ON] }],
    ["a point on the object and one beside it", { points: [ON, BESIDE] }],
  ])("%s gets the one mask, however it is rated [A5-5]", ([, region]) => {
    expect(chosen(FOUR, region, PICTURE)).toBe(one);
  });

  test("a box that is not small gets the alternative that is rated best", () => {
    expect(chosen(FOUR, LARGE, PICTURE)).toBe(best);
    expect(chosen([candidate(0.99), part, best, whole], LARGE, PICTURE)).toBe(best);
  });

  test("an export without the one mask gives a small box the best alternative", () => {
    expect(chosen([part, best, whole], SMALL, PICTURE)).toBe(best);
  });

  test("with a prior, the overlap counts as much as the rating", () => {
    const there = candidate(0.6, grid(-9, -9, 9, 9));
    expect(chosen([one, part, best, there], { ...SMALL, prior: grid(-9, -9, 9, 9) }, PICTURE)).toBe(there);
  });

  test("with a prior, a point is obeyed where the picture's mask has its pixel, also between two cells", () => {
    // The second cell's pixels go from 50 to 99; the last ones are nearer to the third cell's value.
    const narrow = candidate(0.9, grid(-9, 1, -9, -9));
    const prior = grid(-9, 9, -9, -9);
    const at = (x: number) => chosen([narrow, whole], { points: [{ x, y: 50, label: 1 }], prior }, PICTURE);
    expect([at(75), at(90)]).toEqual([narrow, whole]);
  });

  test("an empty choice is an error", () => {
    expect(() => chosen([], SMALL, PICTURE)).toThrow("offered no mask");
  });
});
