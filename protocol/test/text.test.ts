import { cutText } from "@segmentation/protocol";
import { expect, it } from "vitest";

it.each([
  ["ab", 2, "ab"],
  ["abc", 2, "a…"],
  ["a😀", 3, "a😀"],
  ["a😀b", 3, "a…"],
  ["a😀bc", 4, "a😀…"],
  ["😀😀", 3, "😀…"],
])("%s in at most %i units is %s", (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut);
});
