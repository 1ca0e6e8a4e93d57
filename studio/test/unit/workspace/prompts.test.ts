import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asSpelled,
  isOutside,
  offered,
  typedSoFar,
  withPrompts,
} from "../../../src/workspace/rules/prompts.ts";

describe("prompts", () => {
  it("takes several at once, from commas, semicolons and lines", () => {
    expect(withPrompts(["cat"], "cup, red  spoon;\n dog\n\n,")).toEqual(["cat", "cup", "red spoon", "dog"]);
  });

  it("has each once, in any case", () => {
    expect(withPrompts(["Cup"], "cup, CUP, spoon, Spoon")).toEqual(["Cup", "spoon"]);
  });

  it("gives an object the existing name in any case and spacing", () => {
    expect(asSpelled(["chair", "Table"], "Chair")).toBe("chair");
    expect(asSpelled(["chair"], "stool")).toBe("stool");
    expect(asSpelled(["traffic light"], "Traffic  light ")).toBe("traffic light");
  });

  it("is the same whether prompts are given one by one or together", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const oneByOne = texts.reduce<readonly string[]>((prompts, text) => withPrompts(prompts, text), []);
        expect(withPrompts([], texts.join(","))).toEqual(oneByOne);
      }),
    );
  });

  it("ends a prompt at a comma while the next is being typed", () => {
    expect(typedSoFar("cup, spo")).toEqual({ whole: "cup,", rest: " spo" });
    expect(typedSoFar("spo")).toEqual({ whole: "", rest: "spo" });
  });
});

describe("vocabulary", () => {
  const labels = ["cup", "Wine glass", "dining table", "table lamp"];

  it("marks a word outside the model's labels, in any case", () => {
    expect(["CUP", "wine glass", "saucer"].map((prompt) => isOutside(labels, prompt))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("marks and offers nothing for a model that takes any phrase", () => {
    expect(isOutside("open", "saucer")).toBe(false);
    expect(offered("open", "sau", [])).toEqual([]);
  });

  it("offers labels with a matching beginning before those with a matching word, and no chosen one", () => {
    expect(offered(labels, "tab", [])).toEqual(["table lamp", "dining table"]);
    expect(offered(labels, "GL", [])).toEqual(["Wine glass"]);
    expect(offered(labels, "tab", ["table lamp"])).toEqual(["dining table"]);
    expect(offered(labels, " ", [])).toEqual([]);
  });

  it("can be browsed: all labels that are free, in the alphabet's order", () => {
    expect(offered(labels, "", ["cup"], true)).toEqual(["Wine glass", "dining table", "table lamp"]);
    expect(offered("open", "", [], true)).toEqual([]);
  });
});
