/** Reads a picture's formats with other code than the service's, and compares them with its masks. */
import sharp from "sharp";
import { expect } from "vitest";
import { z } from "zod";
import { type Mask, maskIou, maskOfPixels } from "../../../../evaluation/src/measures/mask.ts";
import { maskOfPolygons } from "../../../../evaluation/src/measures/polygon.ts";
import { decodeRle } from "./plain-rle.ts";

/** A mask of the result, as its PNG shows it. */
export interface KnownMask {
  readonly maskIndex: number;
  /** Absent if it is a region's. */
  readonly promptIndex?: number | undefined;
  readonly confidence: number;
  readonly mask: Mask;
}

/** A mask's PNG, read. */
export async function readMask(png: Uint8Array): Promise<Mask> {
  const { data, info } = await sharp(png).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  return maskOfPixels(data, info.width, info.height);
}

const id = z.int().positive();
const size = { width: id, height: id };
const annotation = {
  id,
  image_id: id,
  category_id: id,
  segmentation: z.strictObject({ size: z.tuple([id, id]), counts: z.string() }),
  bbox: z.tuple([z.int().nonnegative(), z.int().nonnegative(), id, id]),
  area: id,
  score: z.number().min(0).max(1),
  iscrowd: z.literal(0),
};
const categories = z.array(z.strictObject({ id, name: z.string() }));

/** A COCO document of pictures. */
export const CocoPictures = z.strictObject({
  images: z.array(z.strictObject({ id, ...size, file_name: z.string() })),
  categories,
  annotations: z.array(z.strictObject(annotation)),
});
export type CocoPictures = z.infer<typeof CocoPictures>;

/** A COCO document of a video. */
export const CocoClip = z.strictObject({
  videos: z.tuple([z.strictObject({ id, name: z.string(), ...size })]),
  categories,
  annotations: z.array(z.strictObject({ ...annotation, video_id: id, track_id: id })),
  images: z.array(
    z.strictObject({
      id,
      video_id: id,
      frame_id: z.int().nonnegative(),
      frame_index: z.int().nonnegative(),
      time: z.number().nonnegative(),
      ...size,
      file_name: z.string(),
    }),
  ),
});

/** The masks of annotations, each checked for its area and its box. */
export function masksOf(annotations: readonly z.infer<z.ZodObject<typeof annotation>>[]): Mask[] {
  return annotations.map(({ segmentation, area, bbox }) => {
    const [height, width] = segmentation.size;
    const mask = maskOfPixels(Uint8Array.from(decodeRle(segmentation), Number), width, height);
    expect(area).toBe(mask.area);
    expect(bbox).toEqual(boxOf(mask));
    return mask;
  });
}

/** The numbers of a mask's set pixels, row by row. */
export function pixelsOf({ width, height, spans }: Mask): number[] {
  const pixels: number[] = [];
  for (let i = 0; i < spans.length; i += 2)
    for (let at = spans[i] ?? 0; at < (spans[i + 1] ?? 0); at++)
      pixels.push((at % height) * width + Math.floor(at / height));
  return pixels;
}

function boxOf(mask: Mask): [number, number, number, number] {
  let [left, top, right, bottom] = [mask.width, mask.height, 0, 0];
  for (const pixel of pixelsOf(mask)) {
    const [x, y] = [pixel % mask.width, Math.floor(pixel / mask.width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  return [left, top, right - left, bottom - top];
}

/** Compares one picture's annotations in a COCO document with its masks. */
export function expectCoco(document: CocoPictures, fileName: string, known: readonly KnownMask[]): void {
  const image = document.images.find(({ file_name }) => file_name === fileName);
  const own = document.annotations.filter(({ image_id }) => image_id === image?.id);
  expect(masksOf(own)).toEqual(known.map(({ mask }) => mask));
  const stated = own.map(({ category_id, score }) => ({ category_id, score }));
  // The category of regions is the last.
  const classOf = ({ promptIndex = document.categories.length - 1 }: KnownMask): number => promptIndex;
  expect(stated).toEqual(known.map((one) => ({ category_id: classOf(one) + 1, score: one.confidence })));
  for (const { mask } of known)
    expect([image?.width, image?.height], fileName).toEqual([mask.width, mask.height]);
}

/** The mask that the lines of a class draw, as the COCO API draws polygons; undefined if it has none. */
export function maskOfClass(
  labels: string,
  classIndex: number,
  { width, height }: Pick<Mask, "width" | "height">,
): Mask | undefined {
  const polygons = labels.split("\n").flatMap((line) => {
    if (line === "") return [];
    expect(line).toMatch(/^\d+(?: [01]\.\d+ [01]\.\d+){3,}$/);
    const [of, ...shares] = line.split(" ").map(Number);
    return of === classIndex ? [shares.map((share, i) => share * (i % 2 === 0 ? width : height))] : [];
  });
  return polygons.length === 0 ? undefined : maskOfPolygons(polygons, width, height);
}

/** Compares labels for YOLO with the masks: of each prompt, all masks together. */
export function expectYolo(labels: string, known: readonly KnownMask[]): void {
  const classes = new Set(known.flatMap(({ promptIndex }) => promptIndex ?? []));
  expect(
    new Set(
      labels
        .trim()
        .split("\n")
        .map((line) => Number.parseInt(line, 10)),
    ),
  ).toEqual(classes);
  for (const promptIndex of classes) {
    const masks = known.filter((one) => one.promptIndex === promptIndex).map(({ mask }) => mask);
    const [{ width, height } = { width: 0, height: 0 }] = masks;
    const pixels = new Uint8Array(width * height);
    for (const pixel of masks.flatMap(pixelsOf)) pixels[pixel] = 1;
    const all = maskOfPixels(pixels, width, height);
    const drawn = maskOfClass(labels, promptIndex, all);
    expect(drawn && maskIou(drawn, all)).toBeGreaterThanOrEqual(0.97);
  }
}

/** Compares a label map with the masks. */
export async function expectLabelmap(png: Uint8Array, known: readonly KnownMask[]): Promise<void> {
  const { channels, depth } = await sharp(png).metadata();
  expect({ channels, depth }).toEqual({ channels: 1, depth: known.length > 255 ? "ushort" : "uchar" });
  const { data, info } = await sharp(png)
    .toColourspace("grey16")
    .raw({ depth: "ushort" })
    .toBuffer({ resolveWithObject: true });
  const labels = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  // Eight bits are spread over sixteen.
  const scale = depth === "ushort" ? 1 : 257;
  const expected = new Uint16Array(info.width * info.height);
  for (const { maskIndex, mask } of known.toSorted(
    (a, b) => a.confidence - b.confidence || b.maskIndex - a.maskIndex,
  ))
    for (const pixel of pixelsOf(mask)) expected[pixel] = (maskIndex + 1) * scale;
  expect(
    Buffer.from(labels.buffer, labels.byteOffset, data.length).equals(Buffer.from(expected.buffer)),
  ).toBe(true);
}

/** Compares a cut-out with its mask and its source picture. */
export async function expectCutout(png: Uint8Array, { mask }: KnownMask, picture: Uint8Array): Promise<void> {
  const [left, top, width, height] = boxOf(mask);
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width, height, channels: 4 });
  const shown = await sharp(picture).autoOrient().removeAlpha().raw().toBuffer();
  const expected = Buffer.alloc(width * height * 4);
  for (const pixel of pixelsOf(mask)) {
    const at = ((Math.floor(pixel / mask.width) - top) * width + (pixel % mask.width) - left) * 4;
    shown.copy(expected, at, pixel * 3, pixel * 3 + 3);
    expected[at + 3] = 255;
  }
  expect(data.equals(expected)).toBe(true);
}
