import { categoriesOf, nameOf, objectsOf, regionCategoryId } from "@segmentation/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";

const pointing = fc.record(
  { objectId: fc.integer({ min: 1, max: 12 }), label: fc.constantFrom("cat", "saucer") },
  { requiredKeys: [] },
);

it("regions with one objectId are one object, every other region is a separate one, and ids are unique", () => {
  fc.assert(
    fc.property(fc.array(pointing, { maxLength: 20 }), (regions) => {
      const objects = objectsOf(regions);
      expect(objects.flatMap(({ regions: own }) => own)).toHaveLength(regions.length);
      expect(new Set(objects.map(({ objectId }) => objectId)).size).toBe(objects.length);
      for (const { objectId, label, regions: own } of objects) {
        expect(own.length === 1 || own.every((region) => region.objectId === objectId)).toBe(true);
        expect(own[0]?.objectId ?? objectId).toBe(objectId);
        expect(label).toBe(own.flatMap((region) => region.label ?? [])[0]);
      }
      const given = regions.flatMap(({ objectId }) => objectId ?? []);
      const free = regions.length - given.length;
      expect(objects).toHaveLength(new Set(given).size + free);
    }),
  );
});

it("an object without an id takes the lowest that no region names", () => {
  const ids = objectsOf([{}, { objectId: 2 }, {}, { objectId: 2 }]).map(({ objectId }) => objectId);
  expect(ids).toEqual([1, 2, 3]);
});

it("a job's categories are its prompts, then each label once; a label that is a prompt has the prompt's", () => {
  const names = [{ label: "saucer" }, {}, { label: "cat" }, { label: "saucer" }].map(nameOf);
  const categories = categoriesOf(["dog", "cat"], names);
  expect(categories.map(({ id, name }) => `${id} ${name}`)).toEqual([
    "1 dog",
    "2 cat",
    "3 saucer",
    "4 region",
  ]);
  expect(names.map((name) => regionCategoryId(categories, name))).toEqual([3, 4, 2, 3]);
});
