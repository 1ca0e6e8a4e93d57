/** Enlarges pictures as the models' references do. */

import type { Size } from "../size.ts";

/** Where each target sample lies between two source samples. */
interface Samples {
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** How far towards `after`, 0 to 1. */
  readonly share: Float32Array;
}

/**
 * Bilinear interpolation between pixel centres at half pixels, the convention of PIL and PyTorch (`align_corners` false):
 * target pixel i lies at (i + ½) × from / to − ½ of the source, and beyond the outermost centres their value continues.
 * libvips places pixels by their corners when it enlarges, which moves a picture right and down by half a target pixel.
 * @param rgb three bytes per pixel, row by row
 * @param to no side may be shorter than in `from`: shrinking without a filter would alias
 */
export function enlarge(rgb: Uint8Array, from: Size, to: Size): Uint8Array {
  const [across, down] = [samples(from.width, to.width), samples(from.height, to.height)];
  const row = 3 * to.width;
  const target = new Uint8Array(row * to.height);
  let [upper, lower] = [new Float32Array(row), new Float32Array(row)];
  let [upperIs, lowerIs] = [-1, -1];
  for (let y = 0; y < to.height; y += 1) {
    const [before, after, share] = [down.before[y] ?? 0, down.after[y] ?? 0, down.share[y] ?? 0];
    // The lower source row becomes the upper one: each is widened once.
    if (upperIs !== before && lowerIs === before) {
      [upper, lower] = [lower, upper];
      [upperIs, lowerIs] = [lowerIs, upperIs];
    }
    if (upperIs !== before) widen(rgb, 3 * from.width * before, across, upper);
    if (lowerIs !== after) widen(rgb, 3 * from.width * after, across, lower);
    [upperIs, lowerIs] = [before, after];
    for (let i = 0; i < row; i += 1) {
      const value = upper[i] ?? 0;
      target[y * row + i] = value + share * ((lower[i] ?? 0) - value) + 0.5;
    }
  }
  return target;
}

function samples(from: number, to: number): Samples {
  const before = new Int32Array(to);
  const after = new Int32Array(to);
  const share = new Float32Array(to);
  for (let i = 0; i < to; i += 1) {
    const position = Math.min(from - 1, Math.max(0, ((i + 0.5) * from) / to - 0.5));
    before[i] = Math.floor(position);
    after[i] = Math.min(from - 1, Math.floor(position) + 1);
    share[i] = position - Math.floor(position);
  }
  return { before, after, share };
}

/** Interpolates the source row that starts at byte `start` into `target`. */
function widen(
  rgb: Uint8Array,
  start: number,
  { before, after, share }: Samples,
  target: Float32Array,
): void {
  for (let x = 0; x < share.length; x += 1) {
    const [left, right, part] = [start + 3 * (before[x] ?? 0), start + 3 * (after[x] ?? 0), share[x] ?? 0];
    for (let channel = 0; channel < 3; channel += 1) {
      const value = rgb[left + channel] ?? 0;
      target[3 * x + channel] = value + part * ((rgb[right + channel] ?? 0) - value);
    }
  }
}
