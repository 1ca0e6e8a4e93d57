import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { narrowing, phraseWords, singularForms } from "../../../src/models/text/phrase.ts";

describe("the words of a phrase", () => {
  it.each([
    ["The Cat", ["cat"]],
    ["all of the dogs", ["dogs"]],
    ["three red cars", ["red", "cars"]],
    ["a herd of cows", ["cows"]],
    ["person with a hat", ["person"]],
    ["T-shirt", ["t-shirt"]],
    ["ＣＡＴ", ["cat"]],
    ["the", []],
    ["", []],
  ])("of %j are %j", (prompt, words) => {
    expect(phraseWords(prompt)).toEqual(words);
  });

  it("are lower case and few, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (prompt) => {
        const words = phraseWords(prompt);
        expect(words.length).toBeLessThanOrEqual(32);
        expect(words).toEqual(words.map((word) => word.toLowerCase()));
        expect(words).not.toContain("");
      }),
    );
  });
});

describe("singular forms", () => {
  it.each([
    ["cats", "cat"],
    ["coffee cups", "coffee cup"],
    ["wine glasses", "wine glass"],
    ["couches", "couch"],
    ["brushes", "brush"],
    ["boxes", "box"],
    ["puppies", "puppy"],
    ["women", "woman"],
    ["knives", "knife"],
    ["wolves", "wolf"],
    ["mice", "mouse"],
    ["tomatoes", "tomato"],
    ["horses", "horse"],
  ])("of %s include %s", (plural, singular) => {
    expect(singularForms(plural)).toContain(singular);
  });

  it.each(["glass", "dress", "cat", "bus"])("of %s start with itself", (word) => {
    expect(singularForms(word)[0]).toBe(word);
  });
});

it("narrows a phrase word by word down to its head noun", () => {
  expect(narrowing(["big", "red", "car"])).toEqual(["big red car", "red car", "car"]);
});
