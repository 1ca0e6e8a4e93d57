import { distinctPrompts } from "@segmentation/masks";
import { expect, it } from "vitest";

it.each([
  [["cup", "cup"], ["cup"]],
  [
    ["Cup", "spoon", " cup ", "CUP"],
    ["Cup", "spoon"],
  ],
  [
    ["red  cup", "red cup", "redcup"],
    ["red  cup", "redcup"],
  ],
  [
    ["caf\u00e9", "cafe\u0301", "cafe"],
    ["caf\u00e9", "cafe"],
  ],
  [[], []],
])("of the prompts %j each is one category: %j", (prompts, distinct) => {
  expect(distinctPrompts(prompts)).toEqual(distinct);
});
