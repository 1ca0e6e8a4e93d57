/** A mask at the picture's size as its rows' runs of set pixels: what its outline takes, however large it is. */
export interface RowRuns {
  readonly width: number;
  readonly height: number;
  /** `height + 1` places in `edges`: row y's runs stand from `starts[y]` up to `starts[y + 1]`. */
  readonly starts: Int32Array;
  /** For each run its first pixel and the one after its last; a row's runs ascend and never touch. */
  readonly edges: Int32Array;
  /** How many pixels are set. */
  readonly area: number;
}

/** Collects rows of runs in order; runs that touch become one. */
export class RunList {
  readonly #starts: Int32Array;
  #edges = new Int32Array(4096);
  #rowStart = 0;
  #length = 0;
  #area = 0;

  constructor(height: number) {
    this.#starts = new Int32Array(height + 1);
  }

  /** Rows are started in order; `most` is how many runs will be added to this one at most. */
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
