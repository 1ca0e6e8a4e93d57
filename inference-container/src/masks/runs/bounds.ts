import type { RowRuns } from "./row-runs.ts";

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
