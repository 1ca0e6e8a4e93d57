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

/** Collects runs row by row, in order; runs that touch are merged. */
export class RunList {
  readonly #starts: Int32Array;
  #edges = new Int32Array(4096);
  #rowStart = 0;
  #length = 0;
  #area = 0;

  constructor(height: number) {
    this.#starts = new Int32Array(height + 1);
  }

  /** Starts row y; rows come in order. At most `most` runs are then added to it. */
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
