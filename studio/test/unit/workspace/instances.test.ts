import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  grouped,
  type Instance,
  isShown,
  lowestOf,
  nameOf,
  paintedAt,
  toggled,
} from "../../../src/workspace/rules/instances.ts";

const instance = (prompt: string | null, number: number, confidence = 0.9): Instance => ({
  id: `${prompt}/${number}`,
  object: `${prompt}/${number}`,
  prompt,
  label: prompt,
  confidence,
  number,
  width: 1,
  height: 1,
  png: new Blob([]),
});

describe("instances", () => {
  it("are painted by a stroke on their mask, or next to the masks: the only one, or the last that was pointed at", () => {
    const [cup, spoon, pointed] = [instance("cup", 1), instance("spoon", 1), instance(null, 1)];
    expect(paintedAt([cup, spoon, pointed], spoon.id)).toBe(spoon);
    expect(paintedAt([pointed, cup, spoon], null)).toBe(pointed);
    expect(paintedAt([cup], null)).toBe(cup);
    expect(paintedAt([cup, spoon], null)).toBeUndefined();
  });

  it("are shown at any confidence once they are accepted", () => {
    const unsure = instance("cup", 1, 0.1);
    const filter = { least: 0.5, leasts: new Map(), hidden: new Set<string>() };
    expect(isShown(unsure, filter)).toBe(false);
    expect(isShown(unsure, { ...filter, accepted: new Set([unsure.object]) })).toBe(true);
  });

  const found = [instance("cup", 1), instance("cup", 2, 0.6), instance(null, 1, 0.3)];

  it("are grouped by their labels, the job's prompts first; one without any has an empty group, and those without a label come last", () => {
    expect(
      grouped([...found, { ...instance("cup", 1), label: "mug" }], ["spoon", "cup"]).map(
        ({ label, instances }) => [label, instances.length],
      ),
    ).toEqual([
      ["spoon", 0],
      ["cup", 2],
      ["mug", 1],
      [null, 1],
    ]);
  });

  it("are all shown from the lowest confidence on, in whole percent", () => {
    expect([[], [0.829, 0.99], [1]].map(lowestOf)).toEqual([0, 0.82, 1]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (confidences) => {
        const filter = { least: lowestOf(confidences), leasts: new Map(), hidden: new Set<string>() };
        for (const [i, each] of confidences.entries())
          expect(isShown(instance("cup", i, each), filter)).toBe(true);
      }),
    );
  });

  it("are each in one group", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", null)),
        fc.uniqueArray(fc.constantFrom("a", "b", "c")),
        (names, prompts) => {
          const all = names.map((name, i) => instance(name, i));
          expect(grouped(all, prompts).flatMap(({ instances }) => instances)).toHaveLength(all.length);
        },
      ),
    );
  });

  it("are hidden below the confidence, unless they were pointed at", () => {
    const shown = (least: number) =>
      found.filter((each) => isShown(each, { least, leasts: new Map(), hidden: new Set() })).map(nameOf);
    expect(shown(0.5)).toEqual(["cup 1", "cup 2", "Object 1"]);
    expect(shown(0.7)).toEqual(["cup 1", "Object 1"]);
  });

  it("of a prompt are hidden below its separate confidence, at any confidence of the others", () => {
    const shown = (leasts: ReadonlyMap<string, number>) =>
      found.filter((each) => isShown(each, { least: 0.7, leasts, hidden: new Set() })).map(nameOf);
    expect(shown(new Map([["cup", 0.5]]))).toEqual(["cup 1", "cup 2", "Object 1"]);
    expect(shown(new Map([["spoon", 0.5]]))).toEqual(["cup 1", "Object 1"]);
    expect(shown(new Map([["cup", 1]]))).toEqual(["Object 1"]);
  });

  it("are hidden one by one", () => {
    expect(
      found.map((each) => isShown(each, { least: 0, leasts: new Map(), hidden: new Set(["cup/2"]) })),
    ).toEqual([true, false, true]);
  });

  it("of a group are all hidden first, then all shown", () => {
    const some = new Set(["cup/2", "other"]);
    const all = toggled(some, ["cup/1", "cup/2"]);
    expect([...all].toSorted()).toEqual(["cup/1", "cup/2", "other"]);
    expect([...toggled(all, ["cup/1", "cup/2"])]).toEqual(["other"]);
  });
});
