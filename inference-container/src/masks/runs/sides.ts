import type { LogitGrid } from "../../models/model.ts";

/**
 * At most the threshold, above it, or neither: no number, or infinite, of which a blend may make no number.
 *
 * A blend a + (b − a) · f of finite numbers never leaves [a, b], in float64 too, so that samples of one side make pixels
 * of that side. For f is at most 1 − 2^-52 (see `resizeAxis`), so that rounding the product gives at most the float64
 * before the rounded b − a, which is no more than b − a is; and rounding the sum keeps order.
 */
export const BELOW = 0;
export const ABOVE = 1;
export const UNCLEAR = 2;

/** The sides of one grid row's samples as runs: run i ends before sample `ends[i]`. */
export class RowSides {
  readonly ends: Int32Array;
  readonly sides: Uint8Array;
  /** Which row was read last. */
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
