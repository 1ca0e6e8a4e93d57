import type { LogitGrid } from "../../models/model.ts";

/**
 * A sample's side: at most the threshold, above it, or unclear: NaN, or infinite, since a blend of it may be NaN.
 *
 * A blend a + (b − a) · f of finite numbers never leaves [a, b], in float64 too, so samples of one side make pixels of
 * that side. The reason: f is at most 1 − 2^-52 (see `resizeAxis`), so rounding the product gives at most the float64
 * before the rounded b − a, which is at most b − a; and rounding the sum keeps order.
 */
export const BELOW = 0;
export const ABOVE = 1;
export const UNCLEAR = 2;

/** The sides of one grid row's samples as runs: run i ends before sample `ends[i]`. */
export class RowSides {
  readonly ends: Int32Array;
  readonly sides: Uint8Array;
  /** The row that was read last. */
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
