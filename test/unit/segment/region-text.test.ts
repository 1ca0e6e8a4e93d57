import { describe, expect, it } from "vitest";
import { regionOfText } from "../../../src/segment/rules/region-text.ts";

const on = (x: number, y: number) => ({ x, y, label: 1 });
const outside = (x: number, y: number) => ({ x, y, label: 0 });

describe("a region of a form", () => {
  it.each([
    ["430,200", { points: [on(430, 200)] }],
    [" 1.5 , -2 ", { points: [on(1.5, -2)] }],
    ["430,200;!10,20; 5,6", { points: [on(430, 200), outside(10, 20), on(5, 6)] }],
    ["40,60,120,80", { box: [40, 60, 120, 80] }],
    ["saucer: 430,200", { points: [on(430, 200)], label: "saucer" }],
    ["a: b: 1,2,3,4", { box: [1, 2, 3, 4], label: "a: b" }],
  ])("%s is read", (text, region) => {
    expect(regionOfText(text)).toEqual(region);
  });

  it.each([
    "",
    "here",
    "1",
    "1,2,3",
    "1,2,3,4,5",
    "!1,2,3,4",
    "1,2,3,4;5,6",
    "1,2;",
    "1,2@3",
    "1;2",
    "cup:",
    "1e3,2",
  ])("%s is none", (text) => {
    expect(regionOfText(text)).toBeNull();
  });
});
