import { describe, expect, it } from "vitest";
import { parsePlace } from "@segmentation/masks";

const on = (x: number, y: number) => ({ x, y, label: 1 });
const outside = (x: number, y: number) => ({ x, y, label: 0 });

describe("a place's text", () => {
  it.each([
    ["430,200", { points: [on(430, 200)] }],
    [" 1.5 , -2 ", { points: [on(1.5, -2)] }],
    ["430,200;!10,20; ! 5,6", { points: [on(430, 200), outside(10, 20), outside(5, 6)] }],
    ["!1,2", { points: [outside(1, 2)] }],
    ["40,60,120.5,80", { box: [40, 60, 120.5, 80] }],
    ["-1, 0 ,0,80", { box: [-1, 0, 0, 80] }],
  ])("%j is read", (text, place) => {
    expect(parsePlace(text)).toEqual(place);
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
    "1,2;!!3,4",
    "1,2@3",
    "1;2",
    "cup: 1,2",
    "1e3,2",
  ])("%j is none", (text) => {
    expect(parsePlace(text)).toBeUndefined();
  });
});
