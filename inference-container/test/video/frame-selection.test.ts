import * as fc from "fast-check";
import { expect, test } from "vitest";
import { frameSelection, nearestFrame, TICKS } from "../../src/video/frame-selection.ts";

/** Ascending times in seconds, some of them equal or next to each other. */
const timeLists = fc
  .array(fc.oneof(fc.constant(0), fc.constant(0.0001), fc.double({ min: 0.001, max: 1, noNaN: true })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((gaps) => {
    let time = -(gaps[0] ?? 0);
    return Float64Array.from(gaps, (gap) => (time += gap));
  });

const clips = timeLists.chain((times) =>
  fc.record({
    times: fc.constant(times),
    indexes: fc
      .uniqueArray(fc.nat({ max: times.length - 1 }), { minLength: 1 })
      .map((chosen) => chosen.toSorted((a, b) => a - b)),
  }),
);

/** How FFmpeg evaluates the expression, by its documentation of `if`, `lt` and `between`. */
function selects(expression: string, pts: number): boolean {
  const choice = /^if\(lt\(pts,(-?\d+)\),(.*)\)$/.exec(expression);
  if (choice !== null) {
    const [, bound, branches = ""] = choice;
    const comma = outerComma(branches);
    return selects(pts < Number(bound) ? branches.slice(0, comma) : branches.slice(comma + 1), pts);
  }
  return expression.split("+").some((term) => {
    const [, from, to] = /^between\(pts,(-?\d+),(-?\d+)\)$/.exec(term) ?? [];
    if (from === undefined) throw new Error(`${term} is not a term`);
    return pts >= Number(from) && pts <= Number(to);
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

test("the expression is true at a tick exactly where the frame nearest to it is planned", () => {
  fc.assert(
    fc.property(
      clips,
      fc.array(fc.integer({ min: -2 * TICKS, max: 70 * TICKS }), { maxLength: 20 }),
      ({ times, indexes }, ticks) => {
        const expression = frameSelection(times, indexes);
        for (const pts of [...ticks, ...Array.from(times, (time) => Math.round(time * TICKS))]) {
          expect(selects(expression, pts)).toBe(indexes.includes(nearestFrame(times, pts)));
        }
      },
    ),
  );
});

test("the nearest frame is the one that a search through all finds, of several as near one of them", () => {
  fc.assert(
    fc.property(timeLists, fc.integer({ min: -2 * TICKS, max: 70 * TICKS }), (times, ticks) => {
      const distances = Array.from(times, (time) => Math.abs(time * TICKS - ticks));
      // A boundary between two frames lies at a whole tick.
      expect(distances[nearestFrame(times, ticks)]).toBeLessThanOrEqual(Math.min(...distances) + 2);
    }),
  );
});

test.for([
  [3_600, "without any other frame", 0],
  [20_000, "with less than one other frame each", 0.5],
] as const)("%d frames apart from each other fit into one argument of a command, %s", ([count, , share]) => {
  let time = 0;
  const times = Float64Array.from(
    { length: 2 * count },
    (_, at) => (time += 0.01 + ((at * 7919) % 97) / 10_000),
  );
  const indexes = Array.from({ length: count }, (_, at) => at * 2);
  const expression = frameSelection(times, indexes);
  expect(expression.length).toBeLessThan(131_072);
  // An odd step, so that both planned and other frames are checked.
  const looked = [...times.keys()].filter((at) => at % (2 * Math.floor(count / 300) + 1) === 0);
  const selected = looked.filter((at) => selects(expression, Math.round((times[at] ?? 0) * TICKS)));
  expect(selected.filter((at) => at % 2 === 0)).toEqual(looked.filter((at) => at % 2 === 0));
  expect(selected.filter((at) => at % 2 === 1).length).toBeLessThanOrEqual(looked.length * share);
});
