import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMaskPng, rowRunsOf, unpackMask, writeGreyPng, packMask } from "@segmentation/masks";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { anyMask, anyObject, drawObject } from "../../../../client/test/support/arbitrary-masks.ts";
import { draw, maskFile } from "../../../../client/test/support/shapes.ts";
import type { Subject } from "../../../../inference-container/src/formats/format-writer.ts";
import { openLabelmap } from "../../../../inference-container/src/formats/labelmap.ts";
import { openYolo } from "../../../../inference-container/src/formats/yolo.ts";
import { maskIou, maskOfPixels } from "../../../../evaluation/src/measures/mask.ts";
import { maskOfPolygons } from "../../../../evaluation/src/measures/polygon.ts";
import { labelMapOf, yoloOf } from "../../../src/render/labels.ts";

const SIZE = { width: 40, height: 30 };

/** Masks of one picture that overlap, with their confidences. */
const FOUND = [
  { mask: draw(40, 30, (x) => x < 25), confidence: 0.6 },
  { mask: draw(40, 30, (x, y) => x > 15 && y > 10), confidence: 0.9 },
  {
    mask: draw(40, 30, (x, y) => Math.hypot(x - 20, y - 15) < 8 && Math.hypot(x - 20, y - 15) > 3),
    confidence: 0.9,
  },
];
const LABELLED = FOUND.map(({ mask, confidence }, i) => ({
  png: new Blob([maskFile(mask, "cup")]),
  classIndex: i % 2,
  confidence,
}));

/** The file that the service writes of these masks. */
async function byTheService(open: typeof openLabelmap | typeof openYolo): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "labels-"));
  try {
    const picture = { ...SIZE, rgb: new Uint8Array(), contentHash: "" };
    const subject: Subject = {
      folder,
      taskId: "t",
      index: 0,
      picture,
      categories: [],
    };
    const writer = await open(subject);
    for (const [maskIndex, { mask, confidence }] of FOUND.entries())
      await writer.add({
        maskIndex,
        categoryId: 1 + (maskIndex % 2),
        score: confidence,
        runs: rowRunsOf(mask),
      });
    const [file] = await writer.finish();
    await writer[Symbol.asyncDispose]();
    return await readFile(file?.path ?? "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("files of labels that the browser makes", () => {
  it("of YOLO are those of the service, byte by byte", async () => {
    expect(await (await yoloOf(LABELLED, 0)).text()).toBe((await byTheService(openYolo)).toString());
    expect(await (await yoloOf([], 0)).text()).toBe("\n");
  });

  it("as label maps have the service's number at each pixel", async () => {
    const pixels = async (file: Uint8Array) =>
      await sharp(file).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
    const [made] = await labelMapOf(LABELLED);
    const [own, service] = [
      await pixels(new Uint8Array((await made?.arrayBuffer()) ?? new ArrayBuffer())),
      await pixels(await byTheService(openLabelmap)),
    ];
    expect(own.info).toMatchObject({ ...SIZE, channels: 1 });
    expect(own.data.equals(service.data)).toBe(true);
    expect(await labelMapOf([])).toEqual([]);
  });

  it("number more objects than a byte has values", async () => {
    const dots = Array.from({ length: 300 }, (_, i) => ({
      png: new Blob([
        maskFile(
          draw(300, 1, (x) => Math.floor(x) === i),
          "dot",
        ),
      ]),
      classIndex: 0,
      confidence: 1,
    }));
    const [file] = await labelMapOf(dots);
    const { data } = await sharp(await file?.arrayBuffer())
      .toColourspace("grey16")
      .raw({ depth: "ushort" })
      .toBuffer({ resolveWithObject: true });
    const numbers = new Uint16Array(data.buffer, data.byteOffset, 300);
    expect([...numbers]).toEqual(dots.map((_, i) => i + 1));
  });

  it("have fewer points with a tolerance, and stay within it", async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, async (object) => {
        const mask = drawObject({ ...object, hole: 0 });
        const { width, height, data } = mask;
        fc.pre(data.filter((value) => value > 0).length > 1_500);
        const masks = [{ png: new Blob([maskFile(mask, "cup")]), classIndex: 0, confidence: 1 }];
        const [exact, rough] = [await (await yoloOf(masks, 0)).text(), await (await yoloOf(masks, 1)).text()];
        expect(rough.length).toBeLessThan(exact.length);
        const polygons = rough
          .trimEnd()
          .split("\n")
          .map((line) =>
            line
              .split(" ")
              .slice(1)
              .map((share, i) => Number(share) * (i % 2 === 0 ? width : height)),
          );
        const filled = maskOfPolygons(polygons, width, height);
        expect(maskIou(filled, maskOfPixels(data, width, height))).toBeGreaterThanOrEqual(0.95);
      }),
      { numRuns: 10 },
    );
  });
});

describe("a PNG that the browser writes", () => {
  it("is a mask with the pixels and the texts that it was given", async () => {
    await fc.assert(
      fc.asyncProperty(anyMask, fc.string({ unit: "grapheme" }), async (mask, prompt) => {
        const file = await writeGreyPng({ ...packMask(mask), bits: 1 }, new Map([["prompt", prompt]]));
        const read = await readMaskPng(new Uint8Array(await file.arrayBuffer()));
        expect(unpackMask(read)).toEqual(mask);
        expect(read.texts.get("prompt")).toBe(prompt.replaceAll("\0", ""));
      }),
      { numRuns: 30 },
    );
  });
});
