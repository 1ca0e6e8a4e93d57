import type { Bitmap } from "./bitmap.ts";

/** A mask at the picture's size as runs of set pixels per row: its size in memory follows the outline, not the area. */
export interface RowRuns {
  readonly width: number;
  readonly height: number;
  /** `height + 1` indices into `edges`: row y's runs are there from `starts[y]` up to `starts[y + 1]`. */
  readonly starts: Int32Array;
  /** Each run's first pixel and the one after its last; the runs of a row ascend and never touch. */
  readonly edges: Int32Array;
  /** The number of set pixels. */
  readonly area: number;
}

/** Collects runs row by row, in order; merges runs that touch. */
export class RunList {
  readonly #starts: Int32Array;
  #edges = new Int32Array(4096);
  #rowStart = 0;
  #length = 0;
  #area = 0;

  constructor(height: number) {
    this.#starts = new Int32Array(height + 1);
  }

  /** Starts row y; rows come in order. @param most the largest number of runs in this row */
  startRow(y: number, most: number): void {
    this.#starts[y] = this.#rowStart = this.#length;
    const needed = this.#length + 2 * most;
    if (needed <= this.#edges.length) return;
    const larger = new Int32Array(needed * 2);
    larger.set(this.#edges);
    this.#edges = larger;
  }

  add(from: number, to: number): void {
    this.#area += to - from;
    if (this.#length > this.#rowStart && this.#edges[this.#length - 1] === from) {
      this.#edges[this.#length - 1] = to;
      return;
    }
    this.#edges[this.#length++] = from;
    this.#edges[this.#length++] = to;
  }

  finish(width: number, height: number): RowRuns {
    this.#starts[height] = this.#length;
    const edges = this.#edges.slice(0, this.#length);
    return { width, height, starts: this.#starts, edges, area: this.#area };
  }
}

/** The pixels of a mask's runs. */
export function bitmapOf({ width, height, starts, edges }: RowRuns): Bitmap {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let edge = starts[y] ?? 0; edge < (starts[y + 1] ?? 0); edge += 2)
      data.fill(255, y * width + (edges[edge] ?? 0), y * width + (edges[edge + 1] ?? 0));
  return { width, height, data };
}

/** The runs of a mask's pixels. */
export function rowRunsOf({ width, height, data }: Bitmap): RowRuns {
  const starts = new Int32Array(height + 1);
  const edges: number[] = [];
  let area = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x <= width; x++) {
      const isSet = x < width && data[y * width + x] !== 0;
      if (isSet) area++;
      // Inside of a run there is an odd number of edges.
      if (isSet !== (edges.length % 2 === 1)) edges.push(x);
    }
    starts[y + 1] = edges.length;
  }
  return { width, height, starts, edges: Int32Array.from(edges), area };
}

/**
 * Visits every horizontal side between a set pixel and a clear one, row by row, from left to right. Pixels outside the
 * mask are clear. Visits neighboring sides as one if their set pixels lie on the same hand.
 *
 * @param visit gets the row below the sides, the edges at their left and right end, by their indices, and a flag that
 * is true if the lower pixels are set; at a corner where two set pixels touch, the edge is that of the side's pixel
 * @param visitStraight gets an edge and the one below it if both are at one place and of one kind
 */
export function forEachSide(
  { height, starts, edges }: RowRuns,
  visit: (y: number, left: number, right: number, isLowerSet: boolean) => void,
  visitStraight?: (upper: number, lower: number) => void,
): void {
  for (let y = 0; y <= height; y++) {
    // An index is odd inside of a run.
    let upper = starts[y - 1] ?? 0;
    let lower = starts[y] ?? 0;
    const upperEnd = lower;
    const lowerEnd = starts[y + 1] ?? lower;
    let left = 0;
    while (upper < upperEnd || lower < lowerEnd) {
      const above = upper < upperEnd ? (edges[upper] ?? 0) : Infinity;
      const below = lower < lowerEnd ? (edges[lower] ?? 0) : Infinity;
      const isBoth = above === below;
      const edge = above < below ? upper : lower;
      const wasLowerSet = (lower & 1) === 1;
      if (((upper ^ lower) & 1) === 1) visit(y, left, isBoth && !wasLowerSet ? upper : edge, wasLowerSet);
      else if (isBoth) visitStraight?.(upper, lower);
      left = isBoth && wasLowerSet ? upper : edge;
      if (above <= below) upper++;
      if (below <= above) lower++;
    }
  }
}

/** A rectangle of pixels; right and bottom are exclusive. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** The x coordinate midway between the ends of the top row's pixels. */
  readonly peak: number;
}

/** The smallest rectangle around a mask's set pixels; empty (right ≤ left) if none is set. */
export function boundsOf({ width, height, starts, edges }: RowRuns): Bounds {
  let left = width;
  let top = height;
  let right = 0;
  let bottom = 0;
  let peak = 0;
  for (let y = 0; y < height; y++) {
    const first = starts[y] ?? 0;
    const end = starts[y + 1] ?? 0;
    if (first === end) continue;
    const from = edges[first] ?? 0;
    const to = edges[end - 1] ?? 0;
    if (y < top) peak = (from + to) / 2;
    left = Math.min(left, from);
    right = Math.max(right, to);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return { left, top, right, bottom, peak };
}
