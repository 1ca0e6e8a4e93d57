import { expect, test } from "vitest";
import type { LogitGrid } from "@segmentation/masks";
import { letter } from "../../src/preview/lettering.ts";
import { drawTracked, type TrackedObject } from "../../src/preview/preview.ts";

const GREY = 128;
const grid = (...logits: number[]): LogitGrid => {
  return { width: 2, height: 2, logits: Float32Array.from(logits) };
};
const lowerRight = grid(-9, -9, -9, 9);
const lowerLeft = grid(-9, -9, 9, -9);
const everywhere = grid(9, 9, 9, 9);
const nowhere = grid(-9, -9, -9, -9);
const cat: TrackedObject = { objectId: 3, prompt: "cat", score: 0.87, mask: lowerRight };

async function draw(objects: readonly TrackedObject[], width = 400, height = 300) {
  const rgb = new Uint8Array(width * height * 3).fill(GREY);
  await drawTracked({ width, height, rgb }, objects, () => Promise.resolve());
  return {
    rgb,
    at: (x: number, y: number) => [...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)],
  };
}

/** The places of the letters: only they are white. */
function letters(rgb: Uint8Array): string {
  return rgb.reduce((places, value, at) => (value > 245 ? `${places} ${at}` : places), "");
}

test("a frame without objects, or with objects that have no pixel, is left as it is", async () => {
  for (const objects of [[], [{ ...cat, mask: nowhere }]]) {
    const { rgb } = await draw(objects);
    expect(new Set(rgb)).toEqual(new Set([GREY]));
  }
});

test("an object is tinted, outlined and labeled on the frame itself, and the rest stays unchanged", async () => {
  const { rgb, at } = await draw([cat]);
  const tint = at(380, 280);
  expect(tint).not.toEqual([GREY, GREY, GREY]);
  expect(at(50, 280)).toEqual([GREY, GREY, GREY]);
  const row = Array.from({ length: 400 }, (_, x) => at(x, 290).join());
  expect(new Set(row).size).toBeGreaterThanOrEqual(3);
  expect(letters(rgb)).not.toBe("");
});

test("an object keeps its color over the frames, whichever others come, go or cover it", async () => {
  const other = { ...cat, objectId: 1, prompt: "dog", mask: lowerLeft };
  const alone = await draw([cat]);
  const [first, second] = [await draw([cat, other]), await draw([other, cat])];
  expect(first.at(380, 280)).toEqual(alone.at(380, 280));
  expect(Buffer.compare(second.rgb, first.rgb)).toBe(0);
  expect(first.at(20, 280)).not.toEqual(first.at(380, 280));
});

test("objects of one prompt have separate colors", async () => {
  const colours = await Promise.all(
    Array.from({ length: 12 }, async (_, objectId) =>
      (await draw([{ ...cat, objectId }])).at(380, 280).join(),
    ),
  );
  expect(new Set(colours).size).toBe(12);
});

test("a label has the prompt, the id and the confidence", async () => {
  const labels = await Promise.all(
    [cat, { ...cat, prompt: "cap" }, { ...cat, objectId: 8 }, { ...cat, score: 0.86 }].map(async (object) =>
      letters((await draw([object])).rgb),
    ),
  );
  expect(new Set(labels).size).toBe(4);
  expect(labels.every((label) => label.length > 100)).toBe(true);
});

test("an object that the frame cuts off has no outline there", async () => {
  const { at } = await draw([{ ...cat, mask: everywhere }]);
  expect(at(0, 299)).toEqual(at(200, 200));
  expect(at(399, 150)).toEqual(at(200, 200));
});

test("a small object lies on top of a large one, whichever was seen first", async () => {
  const whole = { ...cat, objectId: 1, mask: everywhere };
  const alone = await draw([cat]);
  for (const objectId of [1, 5]) {
    const { at } = await draw([cat, { ...whole, objectId }]);
    expect(at(380, 280)).toEqual(alone.at(380, 280));
  }
});

test.for([
  [64, 48],
  [1, 1],
  [2, 300],
  [300, 2],
] as const)("a frame of %d × %d is drawn on, with a label only where it fits", async ([width, height]) => {
  const { rgb } = await draw([{ ...cat, prompt: "x".repeat(100), mask: everywhere }], width, height);
  expect(rgb).toHaveLength(width * height * 3);
  expect(rgb.every((_, at) => rgb[at] === rgb[at % 3])).toBe(true);
  expect(rgb[0]).not.toBe(GREY);
});

test("twenty objects in one place leave each other's labels readable", async () => {
  const crowd = Array.from({ length: 20 }, (_, objectId) => ({ ...cat, objectId }));
  const { rgb } = await draw(crowd, 640, 480);
  const { coverage } = await letter("cat #0 0.87", 11);
  const solid = coverage.filter((value) => value === 255).length;
  expect(rgb.filter((value) => value === 255).length).toBeGreaterThan(3 * 2 * solid);
});

test("a lettering is set once", async () => {
  expect(await letter("cat #1 0.50", 31)).toBe(await letter("cat #1 0.50", 31));
  expect(await letter("cat #1 0.50", 12)).not.toBe(await letter("cat #1 0.50", 31));
});
