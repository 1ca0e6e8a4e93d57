import { expect, test } from "vitest";
import { Embedding } from "../../../src/models/sam2/appearance.ts";

/** Two channels on 2 × 2 cells. */
const embedding = Float32Array.of(5, 1, 1, 1, 0, 0, 4, 4);
const dims = [1, 2, 2, 2];

/** A mask on 4 × 4 cells: four for each of the embedding's. */
function mask(...set: readonly number[]): { width: number; height: number; logits: Float32Array } {
  const logits = new Float32Array(16).fill(-1);
  for (const cell of set) logits[cell] = 1;
  return { width: 4, height: 4, logits };
}

test("an object's appearance is what distinguishes it from the picture's mean, with length 1", () => {
  // The upper left cell less the mean (2, 2) is (3, -2).
  const [x, y] = new Embedding(embedding, dims).appearance(mask(0, 1, 4, 5));
  expect(x).toBeCloseTo(3 / Math.sqrt(13), 6);
  expect(y).toBeCloseTo(-2 / Math.sqrt(13), 6);
});

test("a cell counts by how much of it the object has", () => {
  // Three parts (5, 0), one part (1, 4), less (2, 2): (2, -1).
  const [x, y] = new Embedding(embedding, dims).appearance(mask(0, 1, 4, 8));
  expect(x).toBeCloseTo(2 / Math.sqrt(5), 6);
  expect(y).toBeCloseTo(-1 / Math.sqrt(5), 6);
});

test("an empty mask looks like nothing", () => {
  expect([...new Embedding(embedding, dims).appearance(mask())]).toEqual([0, 0]);
});
