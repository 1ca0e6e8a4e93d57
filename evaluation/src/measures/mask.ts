import { findRuns, type LogitGrid, rleOf, switchesOf, unpackCounts } from "@segmentation/masks";

/**
 * The pixels of an object, as the COCO API walks them: down each column, the columns from left to right. Pixel (x, y) is
 * number x · height + y.
 */
export interface Mask {
  readonly width: number;
  readonly height: number;
  /** Spans of set pixels: each one's first number and the one after its last. They ascend and never touch. */
  readonly spans: Int32Array;
  /** The number of set pixels. */
  readonly area: number;
}

/**
 * The mask whose pixels change between clear and set at these numbers, in any order; two equal ones cancel out.
 * `places` becomes the mask's.
 */
export function maskOfSwitches(width: number, height: number, places: Int32Array): Mask {
  const end = width * height;
  places.sort();
  let length = 0;
  for (const place of places) {
    if (place >= end) break;
    if (length > 0 && places[length - 1] === place) length--;
    else places[length++] = place;
  }
  // An open span ends with the picture.
  const spans = new Int32Array(length + (length % 2)).fill(end);
  spans.set(places.subarray(0, length));
  let area = 0;
  for (let i = 0; i < spans.length; i += 2) area += (spans[i + 1] ?? 0) - (spans[i] ?? 0);
  return { width, height, spans, area };
}

/** The mask of the pixels, row by row, whose byte is not 0. */
export const maskOfPixels = (data: Uint8Array, width: number, height: number): Mask =>
  maskOfSwitches(width, height, switchesOf({ width, height, data }));

/**
 * Decodes a COCO run-length encoding: lengths of alternating runs of clear and set pixels, down each column. `counts`
 * is the list of lengths, or the COCO API's text of it.
 * @param size height, then width, in pixels
 * @throws RangeError if the text has other characters, or the runs do not match the size
 */
export function maskOfRle(
  [height = 0, width = 0]: readonly number[],
  counts: string | readonly number[],
): Mask {
  const lengths = typeof counts === "string" ? unpackCounts(counts) : counts;
  const places = new Int32Array(lengths.length);
  let end = 0;
  for (const [i, length] of lengths.entries()) {
    if (length < 0) throw new RangeError("A run of the mask has a negative length.");
    end += length;
    places[i] = end;
  }
  if (end !== width * height)
    throw new RangeError(
      `The runs of the mask have ${end} pixels in all, but ${width} × ${height} are ${width * height}.`,
    );
  return maskOfSwitches(width, height, places);
}

/** The mask of a model's logits, in a picture of that size. @param threshold of the probability, 0 to 1 */
export function maskOfGrid(
  grid: LogitGrid,
  { width, height }: Pick<Mask, "width" | "height">,
  threshold: number,
): Mask {
  return maskOfRle([height, width], rleOf(findRuns(grid, width, height, threshold)).counts);
}

/** The number of pixels that are set in both masks, which must be of one size. */
export function overlap(a: Mask, b: Mask): number {
  if (a.width !== b.width || a.height !== b.height) throw new RangeError("The masks are of two sizes.");
  let common = 0;
  let i = 0;
  let j = 0;
  while (i < a.spans.length && j < b.spans.length) {
    const endA = a.spans[i + 1] ?? 0;
    const endB = b.spans[j + 1] ?? 0;
    common += Math.max(0, Math.min(endA, endB) - Math.max(a.spans[i] ?? 0, b.spans[j] ?? 0));
    if (endA <= endB) i += 2;
    if (endB <= endA) j += 2;
  }
  return common;
}

/** Intersection over union of two masks of one size, 0 to 1; 0 if both are empty. */
export function maskIou(a: Mask, b: Mask): number {
  const common = overlap(a, b);
  return common === 0 ? 0 : common / (a.area + b.area - common);
}

/**
 * The share of a detection in a crowd, 0 to 1. The COCO API takes it for the IoU with a crowd: a detection of one member
 * is not wrong.
 */
export function shareInCrowd(find: Mask, crowd: Mask): number {
  const common = overlap(find, crowd);
  return common === 0 ? 0 : common / find.area;
}
