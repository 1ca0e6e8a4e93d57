import {
  LabelMap,
  readMaskPng,
  type RowRuns,
  rowRunsOf,
  unpackMask,
  writeGreyPng,
  yoloLines,
} from "@segmentation/masks";

/** An object's mask for files of labels. */
export interface LabelledMask {
  readonly png: Blob;
  /** Its class, from 0. */
  readonly classIndex: number;
  /** 0 to 1. */
  readonly confidence: number;
}

type Size = Pick<RowRuns, "width" | "height">;

/** Reads the runs of a mask's file. @throws RangeError if it is damaged */
export const runsOf = async (png: Blob): Promise<RowRuns> =>
  rowRunsOf(unpackMask(await readMaskPng(new Uint8Array(await png.arrayBuffer()))));

/**
 * A picture's labels for YOLO, as the service writes them.
 * @param tolerance how far a line may stray to have fewer points, in pixels
 */
export async function yoloOf(masks: readonly LabelledMask[], tolerance: number): Promise<Blob> {
  const lines: string[] = [];
  for (const { png, classIndex } of masks) lines.push(...yoloLines(await runsOf(png), classIndex, tolerance));
  return new Blob(lines.length === 0 ? ["\n"] : lines, { type: "text/plain" });
}

/** A picture's label map as the service writes it: the masks are numbered from 1, in their order. Absent without a mask. */
export async function labelMapOf(masks: readonly LabelledMask[]): Promise<Blob[]> {
  let map: LabelMap | null = null;
  let size = { width: 0, height: 0 };
  for (const [i, { png, confidence }] of masks.entries()) {
    const runs = await runsOf(png);
    size = runs;
    map ??= new LabelMap(size);
    map.add(runs, i + 1, confidence);
  }
  return map === null ? [] : [await writeLabels(map.labels, size)];
}

/**
 * Draws the class of each pixel of a picture, from 1, and 0 where there is no object. Where masks overlap, the more confident one wins.
 * @param size of the picture, in pixels
 */
export async function classMapOf(masks: readonly LabelledMask[], size: Size): Promise<Blob> {
  const map = new LabelMap(size);
  for (const [i, { png, confidence }] of masks.entries()) map.add(await runsOf(png), i + 1, confidence);
  const classes = [0, ...masks.map(({ classIndex }) => classIndex + 1)];
  const Pixels = Math.max(...classes) > 255 ? Uint16Array : Uint8Array;
  const pixels = new Pixels(map.labels.length);
  for (const [at, number] of map.labels.entries()) pixels[at] = classes[number] ?? 0;
  return await writeLabels(pixels, size);
}

/** Writes a picture of numbers as PNG, of 8 bits or 16. */
async function writeLabels(labels: LabelMap["labels"], size: Size): Promise<Blob> {
  if (labels instanceof Uint8Array) return await writeGreyPng({ ...size, bits: 8, rows: labels });
  const rows = new Uint8Array(labels.length * 2);
  const view = new DataView(rows.buffer);
  for (const [i, label] of labels.entries()) view.setUint16(2 * i, label);
  return await writeGreyPng({ ...size, bits: 16, rows });
}
