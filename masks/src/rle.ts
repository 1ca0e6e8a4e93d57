import type { Bitmap } from "./bitmap.ts";
import { forEachSide, type RowRuns } from "./row-runs.ts";

/** A mask in the compressed run-length encoding (RLE) of the COCO API (maskApi.c, BSD), as pycocotools reads it. */
export interface Rle {
  /** Height, then width, in pixels. */
  readonly size: readonly number[];
  /**
   * Lengths of alternating runs of clear and set pixels, column by column; the first run is clear and may have length
   * 0.
   */
  readonly counts: string;
}

/** Encodes a mask's pixels. */
export const encodeRle = (mask: Bitmap): Rle & { readonly size: [number, number] } => ({
  size: [mask.height, mask.width],
  counts: packCounts(switchesOf(mask), mask.data.length),
});

/**
 * The ascending indices at which a walk down each column, the columns from left to right, changes between clear and
 * set.
 */
export function switchesOf({
  width,
  height,
  data,
}: Omit<Bitmap, "data"> & { readonly data: Uint8Array }): Int32Array {
  const places: number[] = [];
  for (let x = 0, at = 0; x < width; x++)
    for (let y = 0; y < height; y++, at++)
      // Inside the mask the number of changes is odd.
      if ((data[y * width + x] !== 0) !== (places.length % 2 === 1)) places.push(at);
  return Int32Array.from(places);
}

/** Encodes a mask's runs. */
export function rleOf(runs: RowRuns): Rle {
  const { width, height } = runs;
  return { size: [height, width], counts: packCounts(switches(runs), width * height) };
}

/**
 * The ascending column-major indices at which a walk down each column, padded with a clear pixel at both ends, changes
 * between clear and set. A pixel's column changes where its row's runs differ from those of the row above.
 */
function switches(runs: RowRuns): Int32Array {
  const { width, height, edges } = runs;
  const next = new Int32Array(width + 1);
  forEachSide(runs, (_, left, right) => {
    const end = edges[right] ?? 0;
    for (let x = edges[left] ?? 0; x < end; x++) next[x + 1] = (next[x + 1] ?? 0) + 1;
  });
  for (let x = 0; x < width; x++) next[x + 1] = (next[x + 1] ?? 0) + (next[x] ?? 0);
  const places = new Int32Array(next[width] ?? 0);
  forEachSide(runs, (y, left, right) => {
    const end = edges[right] ?? 0;
    for (let x = edges[left] ?? 0; x < end; x++) {
      const at = next[x] ?? 0;
      places[at] = x * height + y;
      next[x] = at + 1;
    }
  });
  return places;
}

/** The most characters of a run's length: a signed 32-bit difference, five bits per character. */
const LONGEST_CODE = 7;

/**
 * Writes run lengths as text. `places` are where a walk over so many pixels changes between clear and set, ascending. From the
 * fourth on, each length is written as the difference from the last one of its kind. A number becomes groups of five bits,
 * lowest first, in two's complement; every group but the last gets 32 added, and adding 48 makes a group a character.
 */
export function packCounts(places: Int32Array, pixels: number): string {
  const counts: number[] = [];
  let from = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? 0;
    // Set at the bottom of one column and at the top of the next: the run continues.
    if (place === places[i + 1]) i++;
    else {
      counts.push(place - from);
      from = place;
    }
  }
  if (from < pixels) counts.push(pixels - from);
  const text = new Uint8Array(counts.length * LONGEST_CODE);
  let length = 0;
  for (const [i, count] of counts.entries()) {
    let rest = i > 2 ? count - (counts[i - 2] ?? 0) : count;
    for (let isLast = false; !isLast;) {
      const group = rest & 31;
      rest >>= 5;
      isLast = rest === (group & 16 ? -1 : 0);
      text[length++] = group + (isLast ? 48 : 80);
    }
  }
  return new TextDecoder().decode(text.subarray(0, length));
}

/** Decodes a mask. @throws RangeError if the text is not such an encoding, or its runs do not match the size */
export function decodeRle(rle: Rle): Bitmap {
  const [height = 0, width = 0] = rle.size;
  const data = new Uint8Array(width * height);
  const lengths = runLengthsOf(rle);
  let at = 0;
  for (const [i, length] of lengths.entries())
    for (const end = at + length; at < end; at++)
      if (i % 2 === 1) data[(at % height) * width + Math.floor(at / height)] = 255;
  return { width, height, data };
}

/**
 * The runs of an encoded mask's rows, without its pixels: its columns' runs are those of the rows of the mask that is mirrored at
 * its diagonal. @throws RangeError as `decodeRle`
 */
export const runsOfRle = (rle: Rle): RowRuns => columnsAsRows(rleOf(columnsAsRows(rle)));

/** The runs of an encoded mask's columns, as the rows of the mirrored mask. */
function columnsAsRows(rle: Rle): RowRuns {
  const [height = 0, width = 0] = rle.size;
  const lengths = runLengthsOf(rle);
  const starts = new Int32Array(width + 1);
  const edges: number[] = [];
  let [at, area, column] = [0, 0, 0];
  for (const [i, length] of lengths.entries()) {
    const end = at + length;
    if (i % 2 === 1) area += length;
    while (at < end) {
      for (; column < Math.floor(at / height); column++) starts[column + 1] = edges.length;
      const stop = Math.min(end, (column + 1) * height);
      if (i % 2 === 1) edges.push(at - column * height, stop - column * height);
      at = stop;
    }
  }
  for (; column < width; column++) starts[column + 1] = edges.length;
  return { width: height, height: width, starts, edges: Int32Array.from(edges), area };
}

/** The lengths of a mask's runs. @throws RangeError as `decodeRle` */
export function runLengthsOf({ size: [height = 0, width = 0], counts }: Rle): number[] {
  const lengths = unpackCounts(counts);
  if (lengths.some((length) => length < 0) || lengths.reduce((sum, each) => sum + each, 0) !== width * height)
    throw new RangeError("The mask's runs do not add up to its size.");
  return lengths;
}

/** The run lengths of a string that `packCounts` wrote. @throws RangeError if it has other characters, or is cut off */
export function unpackCounts(text: string): number[] {
  const counts: number[] = [];
  for (let at = 0; at < text.length;) {
    let value = 0;
    for (let [bits, group] = [0, 32]; group >= 32; bits += 5) {
      group = text.charCodeAt(at++) - 48;
      // NaN, past the end, is not in range either.
      if (!(group >= 0 && group < 64 && bits < 35))
        throw new RangeError("The text is not a COCO run-length encoding, or is cut off.");
      value |= (group & 31) << bits;
      if ((group & 48) === 16 && bits < 27) value |= -32 << bits;
    }
    counts.push(counts.length > 2 ? value + (counts.at(-2) ?? 0) : value);
  }
  return counts;
}
