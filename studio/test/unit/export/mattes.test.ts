import type { MasksJson, Track } from "segmentation-client";
import { encodeRle } from "segmentation-client/masks";
import sharp from "sharp";
import { expect, it } from "vitest";
import { drawMattes } from "../../../src/export/files/mattes.ts";
import { making } from "../../support/entries.ts";

const SIZE = { width: 4, height: 2 };
const RLES = [
  encodeRle({ ...SIZE, data: Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 0) }),
  encodeRle({ ...SIZE, data: Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0) }),
];
const seen = (objectId: number, rle: MasksJson["frames"][number]["objects"][number]["rle"]) => ({
  objectId,
  score: 1,
  box: [0, 0, 1, 1] as const,
  rle,
});
const track = (objectId: number): Track => ({ objectId, prompt: "cat", sightings: [] });

it("draws a matte of all objects and one of each, also in frames if an object is not", async () => {
  const [first, second] = RLES;
  if (first === undefined || second === undefined) throw new Error("There are two masks.");
  const frames = [
    { sampleIdx: 0, frameIdx: 0, timeSec: 0, objects: [seen(1, first), seen(2, second)] },
    { sampleIdx: 1, frameIdx: 12, timeSec: 0.5, objects: [seen(2, second)] },
  ];
  const files = await drawMattes(
    { masksJson: { version: 1, fps: 2, ...SIZE, frames }, tracks: [track(1), track(2)] },
    making,
  );
  const pixels = Object.fromEntries(
    await Promise.all(
      files.map(async ({ path, content }) => {
        const raw = await sharp(await content.arrayBuffer())
          .toColourspace("b-w")
          .raw()
          .toBuffer();
        return [path, [...raw]] as const;
      }),
    ),
  );
  expect(pixels).toEqual({
    "mattes/all/000000.png": [255, 0, 0, 255, 255, 0, 0, 0],
    "mattes/cat-1/000000.png": [255, 0, 0, 0, 255, 0, 0, 0],
    "mattes/cat-2/000000.png": [0, 0, 0, 255, 0, 0, 0, 0],
    "mattes/all/000012.png": [0, 0, 0, 255, 0, 0, 0, 0],
    "mattes/cat-1/000012.png": [0, 0, 0, 0, 0, 0, 0, 0],
    "mattes/cat-2/000012.png": [0, 0, 0, 255, 0, 0, 0, 0],
  });
});
