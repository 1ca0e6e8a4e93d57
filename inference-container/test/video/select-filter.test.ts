import * as fc from "fast-check";
import { expect, test } from "vitest";
import { frameAt, frameSelection } from "../../src/video/select-filter.ts";

const plans = fc
  .uniqueArray(fc.nat({ max: 200 }), { minLength: 1, maxLength: 80 })
  .map((chosen) => chosen.toSorted((a, b) => a - b));

/** Evaluates the expression as FFmpeg does, by its documentation of `if`, `lt` and `between`. */
function selects(expression: string, n: number): boolean {
  const choice = /^if\(lt\(n,(\d+)\),(.*)\)$/.exec(expression);
  if (choice !== null) {
    const [, bound, branches = ""] = choice;
    const comma = outerComma(branches);
    return selects(n < Number(bound) ? branches.slice(0, comma) : branches.slice(comma + 1), n);
  }
  return expression.split("+").some((term) => {
    const [, from, to] = /^between\(n,(\d+),(\d+)\)$/.exec(term) ?? [];
    if (from === undefined) throw new Error(`${term} is not a term`);
    return n >= Number(from) && n <= Number(to);
  });
}

/** The position of the comma outside all brackets. */
function outerComma(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")") depth--;
    if (text[at] === "," && depth === 0) return at;
  }
  throw new Error("no comma");
}

test("the expression is true exactly for the frames that are planned", () => {
  fc.assert(
    fc.property(plans, (indexes) => {
      const expression = frameSelection(indexes);
      for (let n = 0; n <= 201; n++) expect(selects(expression, n)).toBe(indexes.includes(n));
    }),
  );
});

test("a frame is found by its time, and by no other", () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: -1, max: 201 }), (stamps, stamp) => {
      expect(frameAt(Float64Array.from(stamps), stamp)).toBe(stamps.indexOf(stamp));
    }),
  );
});

test.for([
  [3_600, "without any other frame", 0],
  [20_000, "with less than one other frame each", 0.5],
] as const)("%d frames apart from each other fit into one argument of a command, %s", ([count, , share]) => {
  const indexes = Array.from({ length: count }, (_, at) => at * 2);
  const expression = frameSelection(indexes);
  expect(expression.length).toBeLessThan(131_072);
  // An odd step, so that both planned and other frames are checked.
  const looked = Array.from({ length: 2 * count }, (_, at) => at).filter(
    (at) => at % (2 * Math.floor(count / 300) + 1) === 0,
  );
  const selected = looked.filter((at) => selects(expression, at));
  expect(selected.filter((at) => at % 2 === 0)).toEqual(looked.filter((at) => at % 2 === 0));
  expect(selected.filter((at) => at % 2 === 1).length).toBeLessThanOrEqual(looked.length * share);
});
