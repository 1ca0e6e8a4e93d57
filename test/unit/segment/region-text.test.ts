import { describe, expect, it } from "vitest";
import { REGION_FORMS, regionOfText } from "../../../src/segment/rules/region-text.ts";

const points = [{ x: 430, y: 200, label: 1 }];

describe("a region of a form", () => {
  it.each([
    ["430,200", { points }],
    ["saucer: 430,200", { points, label: "saucer" }],
    ["a: b: 1,2,3,4", { box: [1, 2, 3, 4], label: "a: b" }],
    ["Achtung! : 1,2,3,4", { box: [1, 2, 3, 4], label: "Achtung!" }],
  ])("%s is read", (text, region) => {
    expect(regionOfText(text)).toEqual(region);
  });

  it("has the forms that messages give", () => {
    const forms = REGION_FORMS.match(/(?:saucer: )?\d+,[\d,;!]*\d/g) ?? [];
    expect(forms).toHaveLength(4);
    for (const form of forms) expect(regionOfText(form), form).not.toBeNull();
  });

  it.each(["", "cup:", "cup 1,2", "cup: !1,2,3,4"])("%j is none", (text) => {
    expect(regionOfText(text)).toBeNull();
  });
});
