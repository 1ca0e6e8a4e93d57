import { join } from "node:path";
import { writeEmbedding } from "@segmentation/masks";
import { SegmentationError } from "segmentation-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { loadBoth } from "../support/decoded-regions.ts";

const COFFEE = join(PROJECT_ROOT, "samples/coffee.png");
const DOWNLOAD_MS = 600_000;
const on = (x: number, y: number) => ({ x, y, label: 1 }) as const;
const off = (x: number, y: number) => ({ x, y, label: 0 }) as const;

let both: Awaited<ReturnType<typeof loadBoth>>;
beforeAll(async () => {
  both = await loadBoth();
}, DOWNLOAD_MS);
afterAll(() => both.close());

/** A mask whose left half is set. */
const leftHalf = (width: number, height: number) => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height }, (_, at) => (at % width < width / 2 ? 255 : 0)),
});

it("draws the mask that the service draws: of points, boxes, and corrections", async () => {
  const compared = await both.compare(COFFEE, (width, height) => [
    { points: [on(366, 283)] },
    { points: [on(130, 230), off(300, 200)] },
    { box: [326, 235, 81, 91] },
    // A pixel beyond the edge.
    { box: [-1, -0.5, 154, 109] },
    { points: [on(300, 200)], prior: leftHalf(width, height) },
  ]);
  for (const { request, iou, same, apart } of compared) {
    const of = JSON.stringify({ ...request, prior: undefined });
    expect(iou, of).toBeGreaterThanOrEqual(0.97);
    expect(same, of).toBeGreaterThanOrEqual(0.995);
    expect(apart, of).toBeLessThan(0.02);
  }
});

it.each([
  ["a point outside the picture", { points: [on(600, 10)] }, "outside the picture"],
  ["a box outside the picture", { box: [590, 10, 20, 20] as const }, "outside the picture"],
  ["a mask of another size to correct", { points: [on(1, 1)], prior: leftHalf(9, 9) }, "picture's size"],
])("refuses %s", async (_, request, reason) => {
  const header = {
    model: { id: "m", version: "1" },
    decoder: { width: 1, height: 1, islandShare: 0, holeShare: 0 },
  };
  const picture = both.decoder.open(writeEmbedding({ ...header, width: 600, height: 400, tensors: [] }));
  const refused = picture.decode(request);
  await expect(refused).rejects.toThrow(SegmentationError);
  await expect(refused).rejects.toThrow(reason);
});

it("refuses a file that is no embedding", () => {
  expect(() => both.decoder.open(new Uint8Array(99))).toThrow("The file is no embedding");
});
