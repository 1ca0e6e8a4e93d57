import { expect, it } from "vitest";
import { compareAnswers } from "../src/compare.ts";
import type { DrawnObject } from "../src/ask-set.ts";
import type { Mask } from "../src/measures/mask.ts";
import { label, rectangle } from "./squares.ts";

const SET = { categories: [{ id: 1, name: "cup" }] };
const square = rectangle(10, 10, 40, 40);
/** Has IoU 0.975 with `square`. */
const trimmed = rectangle(10, 10, 40, 39);
const elsewhere = rectangle(120, 120, 40, 40);

const found = (...finds: readonly [Mask, number][]) =>
  finds.map(([mask, score]) => ({ picture: 0, category: 0, mask, score }));
const drawn = (...masks: Mask[]): DrawnObject[] =>
  masks.map((mask) => ({
    object: { ...label(square), picture: 0, category: 0, box: null },
    by: "box",
    mask,
  }));

it("calls the same answers equal, in any order", () => {
  const [here, there] = [found([square, 0.9], [elsewhere, 0.8]), found([elsewhere, 0.8], [square, 0.9])];
  const answer = compareAnswers(SET, { found: here, drawn: null }, { found: there, drawn: null });
  expect(answer).toEqual({
    finds: { masks: 2, meanIou: 1, lowIou: 1, unmatched: 0, score: 0 },
    drawn: null,
    equal: true,
  });
});

it.each([
  ["a find that one provider lacks", found([square, 0.9], [elsewhere, 0.8]), found([square, 0.9])],
  ["a score beyond the bound", found([square, 0.9]), found([square, 0.87])],
  ["a mask beyond the bound", found([square, 0.9]), found([trimmed, 0.9])],
])("does not call equal %s", (_, here, there) => {
  const answer = compareAnswers(SET, { found: here, drawn: null }, { found: there, drawn: null });
  expect(answer.equal).toBe(false);
});

it("compares masks in the order of the regions", () => {
  const compared = (there: DrawnObject[]) =>
    compareAnswers(SET, { found: [], drawn: drawn(square, elsewhere) }, { found: [], drawn: there });
  expect(compared(drawn(square, elsewhere)).equal).toBe(true);
  expect(compared(drawn(elsewhere, square)).drawn).toMatchObject({ masks: 2, meanIou: 0 });
  expect(compared(drawn(square)).equal).toBe(false);
});
