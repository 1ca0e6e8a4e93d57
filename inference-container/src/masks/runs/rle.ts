import type { RowRuns } from "./row-runs.ts";

/** A mask in the compressed run-length encoding (RLE) of the COCO API (maskApi.c, BSD), as pycocotools reads it. */
export interface Rle {
  /** Height, then width, in pixels. */
  readonly size: readonly [number, number];
  /**
   * Lengths of alternating runs of clear and set pixels, column by column; the first run is clear and may have length
   * 0.
   */
  readonly counts: string;
}

/** Encodes a mask. */
export function rleOf(runs: RowRuns): Rle {
  const { width, height } = runs;
  return { size: [height, width], counts: packCounts(switches(runs), width * height) };
}

/**
 * Where a walk down each column, padded with a clear pixel at both ends, changes between clear and set: ascending
 * column-major indices. A pixel's column changes where its row's runs differ from those of the row above.
 */
function switches(runs: RowRuns): Int32Array {
  const { width, height } = runs;
  const next = new Int32Array(width + 1);
  forEachChange(runs, (_, from, to) => {
    for (let x = from; x < to; x++) next[x + 1] = (next[x + 1] ?? 0) + 1;
  });
  for (let x = 0; x < width; x++) next[x + 1] = (next[x + 1] ?? 0) + (next[x] ?? 0);
  const places = new Int32Array(next[width] ?? 0);
  forEachChange(runs, (y, from, to) => {
    for (let x = from; x < to; x++) {
      const at = next[x] ?? 0;
      places[at] = x * height + y;
      next[x] = at + 1;
    }
  });
  return places;
}

/** Visits the pixels [from, to) in which row y differs from the row above; everything outside the mask is clear. */
function forEachChange(
  { height, starts, edges }: RowRuns,
  visit: (y: number, from: number, to: number) => void,
): void {
  for (let y = 0; y <= height; y++) {
    let upper = y === 0 ? 0 : (starts[y - 1] ?? 0);
    let lower = starts[y] ?? 0;
    const upperEnd = lower;
    const lowerEnd = y === height ? lower : (starts[y + 1] ?? 0);
    let from = -1;
    while (upper < upperEnd || lower < lowerEnd) {
      const a = upper < upperEnd ? (edges[upper] ?? 0) : Infinity;
      const b = lower < lowerEnd ? (edges[lower] ?? 0) : Infinity;
      if (a <= b) upper++;
      if (b <= a) lower++;
      // If both rows switch here, they differ after it if they differed before.
      if (a === b) continue;
      if (from < 0) from = Math.min(a, b);
      else {
        visit(y, from, Math.min(a, b));
        from = -1;
      }
    }
  }
}

/** The most characters of a run's length: a signed 32-bit difference, five bits per character. */
const LONGEST_CODE = 7;

/**
 * Writes the counts as text; `places` are the changes between clear and set, ascending, of a walk over so many pixels. From the fourth on, each is the difference from the last count of its kind. A number
 * becomes groups of five bits, lowest first, in two's complement; every group but the last gets 32 added, and adding 48
 * makes a group a character.
 */
export function packCounts(places: Int32Array, pixels: number): string {
  const text = Buffer.allocUnsafe((places.length + 1) * LONGEST_CODE);
  let length = 0;
  let written = 0;
  let beforeLast = 0;
  let last = 0;
  const write = (count: number): void => {
    let rest = written > 2 ? count - beforeLast : count;
    for (;;) {
      const group = rest & 31;
      rest >>= 5;
      const isLast = rest === (group & 16 ? -1 : 0);
      text[length++] = group + (isLast ? 48 : 80);
      if (isLast) break;
    }
    beforeLast = last;
    last = count;
    written++;
  };
  let from = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? 0;
    // Set at the foot of one column and at the head of the next: the run goes on.
    if (place === places[i + 1]) i++;
    else {
      write(place - from);
      from = place;
    }
  }
  if (from < pixels) write(pixels - from);
  return text.toString("latin1", 0, length);
}
