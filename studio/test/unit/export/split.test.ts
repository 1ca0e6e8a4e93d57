import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitOf } from "../../../src/export/files/split.ts";
import { pictureOf, scopeOf } from "../../support/entries.ts";

const NAMES = ["cup", "cat", "bus"];
const labels = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
const batch = fc.array(labels, { minLength: 2, maxLength: 40 });
const share = fc.constantFrom(0.1, 0.2, 0.3);

const times = (count: number, own: readonly string[]) => Array.from({ length: count }, () => own);

const subjectsOf = async (pictures: readonly (readonly string[])[]) =>
  await scopeOf(
    pictures.map((own, i) =>
      pictureOf(
        `${i}.png`,
        own.map((label) => ({ label })),
      ),
    ),
    NAMES,
  );

describe("the split of a data set", () => {
  it("has every picture in one part, and pictures in both parts, and is the same for the same seed", async () => {
    await fc.assert(
      fc.asyncProperty(batch, share, fc.nat(), async (pictures, of, seed) => {
        const { subjects, classes } = await subjectsOf(pictures);
        const parts = splitOf(subjects, classes, { share: of, seed });
        expect([...parts.keys()].toSorted()).toEqual(subjects.map(({ taskId }) => taskId).toSorted());
        expect(new Set(parts.values())).toEqual(new Set(["train", "val"]));
        expect(splitOf(subjects, classes, { share: of, seed })).toEqual(parts);
      }),
      { numRuns: 50 },
    );
  });

  it("gives each class its share, as far as pictures have one class each", async () => {
    const pictures = [...times(20, ["cup"]), ...times(10, ["cat"]), ...times(2, ["bus"]), ...times(5, [])];
    const { subjects, classes } = await subjectsOf(pictures);
    const parts = splitOf(subjects, classes, { share: 0.2, seed: 7 });
    const validated = (name: string | undefined): number =>
      subjects.filter(({ taskId, masks }) => parts.get(taskId) === "val" && masks[0]?.label === name).length;
    expect(["cup", "cat", "bus", undefined].map(validated)).toEqual([4, 2, 1, 1]);
  });

  it("differs by its seed", async () => {
    const { subjects, classes } = await subjectsOf(times(20, ["cup"]));
    const parts = [1, 2].map((seed) =>
      String(subjects.map(({ taskId }) => splitOf(subjects, classes, { share: 0.2, seed }).get(taskId))),
    );
    expect(parts[0]).not.toBe(parts[1]);
  });
});
