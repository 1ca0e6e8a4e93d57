import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Edit,
  edited,
  type History,
  leastsOf,
  NO_EDITS,
  redo,
  seenWithout,
  undo,
  withEdit,
} from "../../../src/workspace/rules/edit-history.ts";
import { type Instance, nameOf } from "../../../src/workspace/rules/instances.ts";

const instance = (label: string, number: number, confidence = 0.5): Instance => ({
  id: `job/${label}/${number}`,
  object: `job/${label}/${number}`,
  prompt: label,
  label,
  confidence,
  number,
  width: 8,
  height: 8,
  png: new Blob([]),
});

const FOUND = [instance("cup", 1), instance("cup", 2, 0.9), instance("spoon", 1)];
const [CUP = "", CUP_2 = "", SPOON = ""] = FOUND.map(({ object }) => object);

const after = (...edits: readonly Edit[]): History =>
  edits.reduce((history, edit) => withEdit(history, edit, 0), NO_EDITS);
const namesAfter = (...edits: readonly Edit[]): string[] =>
  edited(FOUND, after(...edits)).map((object) => nameOf(object.instance));

const object = fc.constantFrom(CUP, CUP_2, SPOON, `${CUP}~1`, "elsewhere/1");
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ type: fc.constant("rename" as const), object, label: fc.constantFrom("cup", "mug", "fork") }),
  fc.record({ type: fc.constant("delete" as const), object }),
  fc.record({ type: fc.constant("merge" as const), objects: fc.array(object, { maxLength: 4 }) }),
  fc.record({
    type: fc.constant("split" as const),
    object: fc.constantFrom(CUP_2, SPOON),
    others: fc.constant([`${CUP}~1`]),
  }),
  fc.record({
    type: fc.constant("paint" as const),
    object,
    stroke: fc.record({
      mode: fc.constantFrom("brush" as const, "eraser" as const),
      radius: fc.constant(2),
      points: fc.constant([1, 1]),
    }),
  }),
);

describe("a person's edits of a picture's objects", () => {
  it("rename an object: it gets a number of its new name, and the others keep theirs", () => {
    expect(namesAfter({ type: "rename", object: CUP, label: "spoon" })).toEqual([
      "spoon 2",
      "cup 2",
      "spoon 1",
    ]);
    expect(namesAfter({ type: "rename", object: CUP, label: "cup" })).toEqual(["cup 1", "cup 2", "spoon 1"]);
  });

  it("delete an object without reusing its number", () => {
    expect(
      namesAfter({ type: "delete", object: CUP_2 }, { type: "rename", object: SPOON, label: "cup" }),
    ).toEqual(["cup 1", "cup 3"]);
  });

  it("merge objects into the first that is named, with all their pixels and the greatest confidence", () => {
    const [spoon, ...others] = edited(FOUND, after({ type: "merge", objects: [SPOON, CUP_2, CUP] }));
    expect(others).toEqual([]);
    expect(spoon?.instance).toMatchObject({ object: SPOON, label: "spoon", number: 1, confidence: 0.9 });
    expect(spoon?.composition).toEqual({
      from: "union",
      of: [CUP, CUP_2, SPOON].map((name) => ({ from: "found", object: name })),
    });
  });

  it("split an object: the largest part keeps its name, the others get new ones", () => {
    const edits = after(
      { type: "split", object: CUP, others: ["a", "b"] },
      { type: "rename", object: "b", label: "saucer" },
    );
    expect(edited(FOUND, edits).map((each) => [each.instance.object, nameOf(each.instance)])).toEqual([
      [CUP, "cup 1"],
      ["a", "cup 3"],
      ["b", "saucer 1"],
      [CUP_2, "cup 2"],
      [SPOON, "spoon 1"],
    ]);
  });

  it("paint on earlier edits", () => {
    const stroke = { mode: "brush", radius: 3, points: [1, 2] } as const;
    const [cup] = edited(
      FOUND,
      after(
        { type: "split", object: CUP, others: ["a"] },
        { type: "paint", object: CUP, stroke },
        { type: "paint", object: CUP, stroke: { ...stroke, mode: "eraser" } },
      ),
    );
    expect(cup?.composition).toEqual({
      from: "strokes",
      of: { from: "part", of: { from: "found", object: CUP }, part: 0, parts: 2 },
      strokes: [stroke, { ...stroke, mode: "eraser" }],
    });
  });

  it("change nothing for missing objects", () => {
    expect(
      edited(
        FOUND,
        after({ type: "delete", object: "elsewhere/1" }, { type: "merge", objects: [CUP, "elsewhere/1"] }),
      ),
    ).toEqual(edited(FOUND, NO_EDITS));
  });

  it("can all be taken back, and come again, in any number and order", () => {
    fc.assert(
      fc.property(fc.array(anyEdit), fc.nat(12), (edits, back) => {
        const states = edits.map((_, i) => edited(FOUND, after(...edits.slice(0, i))));
        const whole = after(...edits);
        let history = whole;
        const steps = Math.min(back, edits.length);
        for (let i = 0; i < steps; i++) history = undo(history);
        if (steps > 0) expect(edited(FOUND, history)).toEqual(states[edits.length - steps]);
        for (let i = 0; i < steps; i++) history = redo(history);
        expect(history).toEqual(whole);
        for (const _ of edits) history = undo(history);
        expect(edited(FOUND, undo(history))).toEqual(edited(FOUND, NO_EDITS));
      }),
    );
  });

  it("leave each object with a distinct name", () => {
    fc.assert(
      fc.property(fc.array(anyEdit), (edits) => {
        const names = namesAfter(...edits);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it("are data: the same after they were written and read", () => {
    fc.assert(
      fc.property(fc.array(anyEdit), (edits) => {
        const history = after(...edits);
        expect(edited(FOUND, JSON.parse(JSON.stringify(history)))).toEqual(edited(FOUND, history));
      }),
    );
  });

  it("set the confidence from which a prompt's objects are shown: the latest one counts, one edit per drag", () => {
    const least = (prompt: string, value: number, at: number): Edit => ({
      type: "least",
      prompt,
      least: value,
      at,
    });
    const here = after(least("cup", 0.4, 1), least("cup", 0.5, 2), least("spoon", 0.6, 3));
    const elsewhere = after(least("cup", 0.7, 4));
    const both = (...histories: readonly History[]) => Object.fromEntries(leastsOf(histories));
    expect(both(elsewhere, here)).toEqual({ cup: 0.7, spoon: 0.6 });
    expect(both(undo(elsewhere), here)).toEqual({ cup: 0.5, spoon: 0.6 });
    expect(both(undo(undo(here)))).toEqual({});
    expect(both(redo(undo(here)))).toEqual({ cup: 0.5, spoon: 0.6 });
  });

  it("keep edits of another search while those of the shown one are undone and redone", () => {
    const pointed: Edit = { type: "rename", object: "pointed/1", label: "handle" };
    const history = after(pointed, { type: "delete", object: CUP });
    const isSeen = seenWithout(["job"]);
    const back = undo(history, isSeen);
    expect(back.done.map(({ edit }) => edit.type)).toEqual(["delete"]);
    expect(undo(back, isSeen)).toEqual(back);
    expect(redo(undo(back), isSeen).done.map(({ edit }) => edit)).toEqual([pointed]);
  });
});
