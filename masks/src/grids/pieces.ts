import type { LogitGrid } from "./region.ts";

/**
 * A sample's side: at most the threshold, above it, or unclear: NaN, or infinite, since a blend of it may be NaN.
 *
 * A blend a + (b − a) · f of finite numbers never leaves [a, b], in float64 too, so samples of one side make pixels of
 * that side. The reason: f is at most 1 − 2^-52 (see `resizeAxis`), so rounding the product gives at most the float64
 * before the rounded b − a. That is at most b − a, and rounding the sum keeps order.
 */
const BELOW = 0;
const ABOVE = 1;
const UNCLEAR = 2;

/** The sides of one grid row's samples as runs: run i ends before sample `ends[i]`. */
export class RowSides {
  readonly ends: Int32Array;
  readonly sides: Uint8Array;
  /** The last row read. */
  row = -1;

  constructor(samples: number) {
    this.ends = new Int32Array(samples);
    this.sides = new Uint8Array(samples);
  }

  read({ width, logits }: LogitGrid, row: number, threshold: number): void {
    const begin = row * width;
    const end = begin + width;
    let length = 0;
    let at = begin;
    while (at < end) {
      const from = at;
      let side = BELOW;
      while (at < end && (logits[at] ?? 0) <= threshold) at++;
      if (at === from) {
        side = ABOVE;
        while (at < end && (logits[at] ?? 0) > threshold && logits[at] !== Infinity) at++;
      }
      if (at === from) {
        side = UNCLEAR;
        at++;
      }
      this.ends[length] = at - begin;
      this.sides[length++] = side;
    }
    this.row = row;
  }
}

/** Replaces a cell's number: all pixels of the piece are set. */
export const UNIFORM = -1;

/**
 * The pieces of the outline between two grid rows, in ascending order: cells that it may cross, and between them
 * stretches that are entirely set. Pixels outside all pieces are clear.
 */
export class Pieces {
  /** The cell of each piece, by the index of its left sample, or `UNIFORM`. */
  readonly cells: Int32Array;
  /** The pixels [from, to) of each piece. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  length = 0;

  /** A cell lies between a sample and the next one, so there are as many cells as samples. */
  constructor(samples: number) {
    this.cells = new Int32Array(samples);
    this.from = new Int32Array(samples);
    this.to = new Int32Array(samples);
  }

  /**
   * Finds the pieces between two grid rows.
   * @param starts the first pixel of each cell, then the width
   */
  find(upper: RowSides, lower: RowSides, starts: Int32Array): void {
    const samples = starts.length - 1;
    this.length = 0;
    let i = 0;
    let j = 0;
    for (let sample = 0; sample < samples;) {
      const upperEnd = upper.ends[i] ?? 0;
      const lowerEnd = lower.ends[j] ?? 0;
      const end = Math.min(upperEnd, lowerEnd);
      const side = upper.sides[i] === lower.sides[j] ? (upper.sides[i] ?? 0) : UNCLEAR;
      // The last of these samples has a sample of another side to its right; the row's last sample has none.
      const lastCell = end === samples ? samples : end - 1;
      if (side === ABOVE) this.#add(UNIFORM, starts, sample, lastCell);
      else if (side !== BELOW) {
        for (let cell = sample; cell < lastCell; cell++) this.#add(cell, starts, cell, cell + 1);
      }
      if (lastCell < end) this.#add(lastCell, starts, lastCell, end);
      if (upperEnd === end) i++;
      if (lowerEnd === end) j++;
      sample = end;
    }
  }

  /** Adds a piece, unless its cells have no pixels. */
  #add(cell: number, starts: Int32Array, first: number, end: number): void {
    const from = starts[first] ?? 0;
    const to = starts[end] ?? 0;
    if (from === to) return;
    this.cells[this.length] = cell;
    this.from[this.length] = from;
    this.to[this.length++] = to;
  }
}
