import * as fc from "fast-check";
import { load } from "js-yaml";
import { expect, it } from "vitest";
import { yoloDataset } from "../../../../src/core/archives/yolo-dataset.ts";

it("the dataset of labels for YOLO names its classes by their numbers, whatever words the prompts are [A4-9]", () => {
  const text = fc.oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 1, unit: "binary" }));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (names) => {
      expect(load(yoloDataset(names))).toEqual({
        train: "images",
        val: "images",
        names: Object.fromEntries(names.entries()),
      });
    }),
    { numRuns: 30 },
  );
});

it("the dataset's text is what a person would write", () => {
  expect(yoloDataset(["cat", 'a "red" cup', "猫", "no", "\u0085"])).toBe(
    'train: images\nval: images\nnames:\n  0: "cat"\n  1: "a \\"red\\" cup"\n  2: "猫"\n  3: "no"\n  4: "\\u0085"\n',
  );
});
