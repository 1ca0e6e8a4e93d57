import type { Bitmap } from "../bitmap.ts";
import type { LogitGrid } from "./region.ts";

/** The side of the grid on which SAM 2 takes masks. */
const SIDE = 256;
/** The logit of a cell that a mask fills; negative for an empty cell. */
const SURE = 10;

/** The source samples of a target sample, and their weights, which add up to one. */
interface Window {
  readonly start: number;
  readonly weights: readonly number[];
}

/** Bilinear windows: as wide as target samples where the source is larger. */
function windowsOf(from: number, side: number): Window[] {
  const scale = from / side;
  const reach = Math.max(1, scale);
  return Array.from({ length: side }, (_, target) => {
    const center = (target + 0.5) * scale;
    const start = Math.max(0, Math.floor(center - reach + 0.5));
    const end = Math.min(from, Math.floor(center + reach + 0.5));
    const shares = Array.from({ length: end - start }, (__, at) =>
      Math.max(0, 1 - Math.abs(start + at + 0.5 - center) / reach),
    );
    const total = shares.reduce((sum, share) => sum + share, 0);
    return { start, weights: shares.map((share) => share / total) };
  });
}

/**
 * A mask as the logits that a region corrects: 255 inside, 0 outside.
 * @param side of the grid on which the decoder takes masks; by default SAM 2's
 */
export function priorOf({ width, height, data }: Bitmap, side = SIDE): LogitGrid {
  const [across, down] = [windowsOf(width, side), windowsOf(height, side)];
  const rows = new Float32Array(height * side);
  for (let y = 0; y < height; y += 1)
    for (const [x, { start, weights }] of across.entries()) {
      let sum = 0;
      for (const [at, weight] of weights.entries()) sum += weight * (data[y * width + start + at] ?? 0);
      rows[y * side + x] = sum;
    }
  const logits = new Float32Array(side * side);
  for (const [y, { start, weights }] of down.entries())
    for (let x = 0; x < side; x += 1) {
      let sum = 0;
      for (const [at, weight] of weights.entries()) sum += weight * (rows[(start + at) * side + x] ?? 0);
      logits[y * side + x] = SURE * ((2 * sum) / 255 - 1);
    }
  return { width: side, height: side, logits };
}
