import fc from "fast-check";
import { sentenceOf } from "../../../src/text/task-problems.ts";
import { describe, expect, it } from "vitest";
import { type Filter, filtered, type Status, sureOf } from "../../../src/gallery/filter.ts";
import { countedByLabel, type GalleryItem, stepTo } from "../../../src/gallery/items.ts";

const item = (key: string, state: GalleryItem["state"], count: number | null): GalleryItem => ({
  key,
  name: key,
  state,
  share: null,
  problem: null,
  count,
  labels: null,
  leastSure: null,
  verdict: null,
  revision: "1",
  original: async () => await Promise.resolve(null),
  masks: async () => await Promise.resolve([]),
});

const ITEMS = [
  item("cats", "done", 2),
  item("wall", "done", 0),
  item("broken", "failed", null),
  item("later", "waiting", null),
  item("stopped", "canceled", null),
];

describe("the gallery", () => {
  it.each<[Status, string[]]>([
    ["all", ["cats", "wall", "broken", "later", "stopped"]],
    ["with", ["cats"]],
    ["without", ["wall"]],
    ["failed", ["broken"]],
    ["canceled", ["stopped"]],
    ["open", ["cats", "wall"]],
    ["accepted", []],
  ])("shows by the filter %s what it names, and not what isn't known yet", (status, keys) => {
    expect(filtered(ITEMS, { status, label: null }).map(({ key }) => key)).toEqual(keys);
  });

  it("shows the verdicts of pictures, and those with an object of a label, once known", () => {
    const items = [
      { ...item("a", "done", 2), labels: ["cup", null], verdict: "accepted" as const },
      { ...item("b", "done", 1), labels: ["cat"], verdict: "rejected" as const },
      { ...item("c", "done", 1), labels: null },
    ];
    const keys = (filter: Filter) => filtered(items, filter).map(({ key }) => key);
    expect(keys({ status: "accepted", label: null })).toEqual(["a"]);
    expect(keys({ status: "rejected", label: "cup" })).toEqual([]);
    expect(keys({ status: "open", label: null })).toEqual(["c"]);
    expect(keys({ status: "all", label: "cup" })).toEqual(["a"]);
  });

  it("begins with the least sure pictures, and finds the sure ones without a verdict", () => {
    const items = [
      { ...item("a", "done", 1), leastSure: 0.9 },
      item("b", "done", 0),
      { ...item("c", "done", 1), leastSure: 0.4 },
      { ...item("d", "done", 1), leastSure: 0.95, verdict: "rejected" as const },
    ];
    const keys = filtered(items, { status: "all", label: null, isUnsureFirst: true }).map(({ key }) => key);
    expect(keys).toEqual(["c", "a", "d", "b"]);
    expect(sureOf(items, 0.8).map(({ key }) => key)).toEqual(["a"]);
    expect(sureOf(items, 0.4).map(({ key }) => key)).toEqual(["a", "c"]);
  });

  it("counts the shown masks by label", () => {
    const mask = (label: string | null, isShown = true) => ({
      label,
      isShown,
      png: new Blob([]),
      rgb: [1, 2, 3] as const,
    });
    expect(
      countedByLabel([mask("cup"), mask("cup"), mask("spoon", false), mask(null)]).map(({ label, count }) => [
        label,
        count,
      ]),
    ).toEqual([
      ["cup", 2],
      [null, 1],
    ]);
  });

  it("shows a problem without its code", () => {
    expect(sentenceOf("image_corrupt: The picture is damaged: it ends early.")).toBe(
      "The picture is damaged: it ends early.",
    );
  });
});

describe("keys in a grid of pictures", () => {
  const places = fc
    .record({ count: fc.integer({ min: 1, max: 30 }), columns: fc.integer({ min: 1, max: 8 }), at: fc.nat() })
    .map(({ at, ...rest }) => ({ ...rest, at: at % rest.count }));

  it("never leave it, and the opposite key leads back after a full row", () => {
    fc.assert(
      fc.property(
        places,
        fc.constantFrom("Up", "Down", "Left", "Right"),
        ({ at, columns, count }, direction) => {
          const to = stepTo(`Arrow${direction}`, at, columns, count);
          if (to === null) return;
          expect(to).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThan(count);
          const back = { Up: "Down", Down: "Up", Left: "Right", Right: "Left" }[direction] ?? "";
          const isWhole = direction !== "Down" || to === at + columns;
          if (isWhole) expect(stepTo(`Arrow${back}`, to, columns, count)).toBe(at);
        },
      ),
    );
  });

  it("come to the last picture from above an unfinished row, and stop at its end", () => {
    expect(stepTo("ArrowDown", 2, 3, 5)).toBe(4);
    expect(stepTo("ArrowDown", 4, 3, 5)).toBeNull();
    expect(stepTo("End", 0, 3, 5)).toBe(4);
    expect(stepTo("Home", 4, 3, 5)).toBe(0);
    expect(stepTo("a", 1, 3, 5)).toBeNull();
  });
});
