import type { RowRuns } from "@segmentation/masks";

/** Runs of one row's pixels, as in RowRuns: the first `length` of `edges`. */
interface Row {
  readonly edges: Int32Array;
  length: number;
}

/**
 * Finds, row by row, the pixels of a mask that lie deeper in it than `depth` thirds of a pixel. The distance to the
 * pixels outside is the 3-4 chamfer distance (G. Borgefors, "Distance transformations in digital images", 1986): 3 for
 * a step along an axis, 4 for a diagonal one. The picture's border doesn't count as outside: an object that is cut off
 * there continues.
 */
export class Erosion {
  /** The largest horizontal step within the depth, by the number of rows up or down. */
  readonly #reach: readonly number[];
  /** The pixels kept so far, and the buffer for the next step's. */
  #kept: Row;
  #next: Row;

  constructor(depth: number, width: number) {
    this.#reach = Array.from({ length: Math.floor(depth / 3) + 1 }, (_, rows) => {
      // A horizontal step costs 1 if it turns a vertical step into a diagonal one, and 3 beyond that.
      return Math.min(depth - 3 * rows, Math.floor((depth - rows) / 3));
    });
    this.#kept = { edges: new Int32Array(width + 2), length: 0 };
    this.#next = { edges: new Int32Array(width + 2), length: 0 };
  }

  /** Row y's deep pixels; valid until the next call. */
  row(runs: RowRuns, y: number): Readonly<Row> {
    this.#kept.length = 2;
    this.#kept.edges[0] = 0;
    this.#kept.edges[1] = runs.width;
    for (const [rows, aside] of this.#reach.entries()) {
      this.#keep(runs, y - rows, aside);
      if (rows > 0) this.#keep(runs, y + rows, aside);
      if (this.#kept.length === 0) break;
    }
    return this.#kept;
  }

  /** Keeps only the pixels in row y's runs, each run shortened by `aside` at both ends. */
  #keep({ width, height, starts, edges }: RowRuns, y: number, aside: number): void {
    if (y < 0 || y >= height) return;
    const kept = this.#kept;
    const next = this.#next;
    const end = starts[y + 1] ?? 0;
    let length = 0;
    let at = 0;
    for (let run = starts[y] ?? 0; run < end && at < kept.length; run += 2) {
      const first = edges[run] ?? 0;
      const last = edges[run + 1] ?? 0;
      const from = first === 0 ? 0 : first + aside;
      const to = last === width ? width : last - aside;
      while (at < kept.length) {
        const left = Math.max(from, kept.edges[at] ?? 0);
        const right = Math.min(to, kept.edges[at + 1] ?? 0);
        if (left < right) {
          next.edges[length++] = left;
          next.edges[length++] = right;
        }
        // The kept stretch reaches beyond this run: the next run may overlap it too.
        if ((kept.edges[at + 1] ?? 0) > last) break;
        at += 2;
      }
    }
    next.length = length;
    this.#kept = next;
    this.#next = kept;
  }
}
