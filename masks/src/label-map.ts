import type { Bytes } from "./bitmap.ts";
import type { RowRuns } from "./row-runs.ts";

/** The most labels that a byte per pixel can distinguish. */
const MOST_IN_BYTES = 255;

/** A picture of numbers, row by row: for each pixel the label of the object there, and 0 where there is none. */
export class LabelMap {
  /** A byte per pixel; two, in the machine's order, once there are more labels than a byte has. */
  labels: Bytes | ReturnType<Uint16ArrayConstructor["of"]>;
  readonly #width: number;
  readonly #scores: number[] = [];

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.#width = width;
    this.labels = new Uint8Array(width * height);
  }

  /**
   * Sets a mask's pixels to its label, except pixels of a mask that is at least as confident.
   * @param label from 1; each only once
   * @param score the mask's confidence, 0 to 1
   */
  add({ height, starts, edges }: RowRuns, label: number, score: number): void {
    if (label > MOST_IN_BYTES && this.labels instanceof Uint8Array)
      this.labels = Uint16Array.from(this.labels);
    this.#scores[label] = score;
    for (let y = 0; y < height; y++) {
      const row = y * this.#width;
      const end = starts[y + 1] ?? 0;
      for (let run = starts[y] ?? 0; run < end; run += 2) {
        const to = row + (edges[run + 1] ?? 0);
        for (let at = row + (edges[run] ?? 0); at < to; at++) {
          const there = this.labels[at] ?? 0;
          if (there === 0 || (this.#scores[there] ?? 0) < score) this.labels[at] = label;
        }
      }
    }
  }
}
