import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edited, type History, NO_EDITS, withEdit } from "../../../src/workspace/rules/edit-history.ts";
import {
  type Coloured,
  coloursOf,
  type PointedInstance,
} from "../../../src/screens/segment/state/colouring.ts";
import type { Instance } from "../../../src/workspace/rules/instances.ts";

const instance = (
  object: string,
  label: string | null,
  number: number,
  under?: Instance["under"],
): Instance => ({
  id: object,
  object,
  prompt: label,
  label,
  confidence: 0.9,
  number,
  width: 1,
  height: 1,
  png: new Blob([]),
  under,
});

const byte = fc.integer({ min: 0, max: 255 });
const under = fc.option(fc.tuple(byte, byte, byte), { nil: undefined });
/** Objects that a search for cups and spoons has found. */
const search = fc
  .tuple(fc.array(under, { minLength: 1, maxLength: 8 }), fc.array(under, { maxLength: 4 }))
  .map(([cups, spoons]) => [
    ...cups.map((each, i) => instance(`job/task/${i}`, "cup", i + 1, each)),
    ...spoons.map((each, i) => instance(`job/task/${cups.length + i}`, "spoon", i + 1, each)),
  ]);
/** Actions of a person in turn: edits of the n-th object, or pointing at one more. */
const steps = fc.array(
  fc.tuple(fc.constantFrom("split", "delete", "paint", "merge", "point"), fc.nat(20), under),
  { maxLength: 8 },
);

const css = (coloured: Coloured, objects: readonly Instance[]): Map<string, string> => {
  const colour = coloursOf(coloured);
  return new Map(objects.map((object) => [object.object, colour(object).css]));
};

describe("the colors of a picture's objects", () => {
  it.each([true, false])(
    "stay the same while a person edits and points, one for each object (isByObject: %s)",
    (isByObject) => {
      fc.assert(
        fc.property(search, steps, (found, done) => {
          const seen = new Map<string, string>();
          let edits: History = NO_EDITS;
          const pointed: PointedInstance[] = [];
          for (const [i, [what, nth, below]] of [["look", 0, undefined] as const, ...done].entries()) {
            const before = edited([...found, ...pointed.map((each) => each.instance)], edits);
            const { object } = before[nth % Math.max(1, before.length)]?.instance ?? { object: "none" };
            const after = pointed.at(-1)?.at ?? 0;
            if (what === "point")
              pointed.push({
                instance: instance(`pointed/${i}`, null, pointed.length + 1, below),
                at: after + 1,
              });
            if (what === "split")
              edits = withEdit(edits, { type: what, object, others: [`${object}~${i}`] }, after);
            if (what === "delete") edits = withEdit(edits, { type: what, object }, after);
            if (what === "paint")
              edits = withEdit(
                edits,
                { type: what, object, stroke: { mode: "brush", radius: 1, points: [] } },
                after,
              );
            if (what === "merge")
              edits = withEdit(edits, { type: what, objects: [object, "job/task/0"] }, after);
            const now = edited([...found, ...pointed.map((each) => each.instance)], edits);
            const coloured = { found, pointed, edits, labels: ["cup", "spoon"], prompts: 2, isByObject };
            const colours = css(
              coloured,
              now.map((each) => each.instance),
            );
            expect(new Set(colours.values()).size).toBe(colours.size);
            for (const [name, colour] of colours) {
              expect(seen.get(name) ?? colour).toBe(colour);
              seen.set(name, colour);
            }
          }
        }),
        // Each run makes as many palettes as it has steps.
        { numRuns: 40 },
      );
    },
  );

  it("of another search's objects follow from their labels", () => {
    const coloured = {
      found: [],
      pointed: [],
      edits: NO_EDITS,
      labels: ["cup"],
      prompts: 1,
      isByObject: true,
    };
    const [one, two] = [instance("other/task/0", "cup", 1), instance("other/task/1", "cup", 2)];
    expect(new Set(css(coloured, [one, two]).values()).size).toBe(2);
  });
});
