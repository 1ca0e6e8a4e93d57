import { type Signal, signal } from "@preact/signals";
import { expect, it } from "vitest";
import { Selecting } from "../../../src/screens/segment/state/selecting.ts";
import type { Instance } from "../../../src/workspace/rules/instances.ts";

const named = (object: string): Instance => ({
  id: object,
  object,
  prompt: "cup",
  label: "cup",
  confidence: 1,
  number: 1,
  width: 1,
  height: 1,
  png: new Blob([]),
});

const unclickable = (clicked: Signal<Instance | null>) => () => void (clicked.value = null);

it("adds several objects and ranges to the clicked one", () => {
  const all = ["a", "b", "c", "d", "e"].map(named);
  const [a, b, , d] = all;
  if (a === undefined || b === undefined || d === undefined) throw new Error("There are five objects.");
  const listed = signal<readonly Instance[]>(all);
  const clicked = signal<Instance | null>(a);
  const selecting = new Selecting({ listed, clicked, unclick: unclickable(clicked) });
  expect(selecting.objects.value).toEqual(["a"]);
  selecting.toggle([b]);
  expect(selecting.objects.value).toEqual(["a", "b"]);
  selecting.extendTo(d);
  expect(selecting.objects.value).toEqual(["a", "b", "c", "d"]);
  selecting.toggle([b]);
  expect(selecting.objects.value).toEqual(["a", "c", "d"]);

  // Missing objects are not selected.
  listed.value = all.filter(({ object }) => object !== "c");
  expect(selecting.objects.value).toEqual(["a", "d"]);
  selecting.clear();
  expect(selecting.objects.value).toEqual([]);
});

it("adds the objects of masks, and takes them back once all of them are selected", () => {
  const listed = signal<readonly Instance[]>(["a", "b", "c"].map(named));
  const clicked = signal<Instance | null>(named("a"));
  const selecting = new Selecting({ listed, clicked, unclick: unclickable(clicked) });
  selecting.toggleMasks(["b", "c"]);
  expect(selecting.masks.value).toEqual(["a", "b", "c"]);
  selecting.toggleMasks(["a"]);
  expect(selecting.objects.value).toEqual(["b", "c"]);
  selecting.toggleMasks(["b", "c"]);
  // Nor is the one that was clicked first.
  expect(selecting.objects.value).toEqual([]);
});
