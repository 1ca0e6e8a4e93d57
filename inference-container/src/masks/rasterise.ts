import type { LogitGrid } from "../models/model.ts";
import { type BitMask, fillRun } from "./bit-mask.ts";
import { findRuns } from "./runs.ts";

/**
 * Sets each pixel whose bilinearly resized logit is greater than the threshold's.
 * @param maskThreshold a probability, 0 to 1
 */
export function rasterise(grid: LogitGrid, width: number, height: number, maskThreshold: number): BitMask {
  const { starts, edges, area } = findRuns(grid, width, height, maskThreshold);
  const stride = Math.ceil(width / 8);
  const bits = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const offset = y * stride * 8;
    const end = starts[y + 1] ?? 0;
    for (let at = starts[y] ?? 0; at < end; at += 2) {
      fillRun(bits, offset + (edges[at] ?? 0), offset + (edges[at + 1] ?? 0));
    }
  }
  return { width, height, stride, bits, area };
}
