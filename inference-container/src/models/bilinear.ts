/** Resizes pictures as the models' references do. */

import type { Size } from "../size.ts";

/** Which source samples make up each target sample, and how much of each: whole numbers, `1 << precision` for all of it. */
interface Windows {
  /** The first source sample of each target sample. */
  readonly starts: Int32Array;
  /** How many there are of each. */
  readonly counts: Int32Array;
  /** The weights of each, `widest` apart. */
  readonly weights: Int32Array;
  readonly widest: number;
  readonly precision: number;
}

/**
 * Bilinear interpolation as PIL and torchvision do it to bytes: a triangle as wide as a source pixel, or as a target pixel
 * if that is wider, around the target pixel's centre at (i + ½) × from / to; first across, then down, rounded after each.
 * The weights are torchvision's of 16 bits, so that the bytes are torchvision's.
 * @param rgb three bytes per pixel, row by row
 */
export function bilinear(rgb: Uint8Array, from: Size, to: Size): Uint8Array {
  const across = from.width === to.width ? rgb : resizeAcross(rgb, from, to.width);
  return from.height === to.height
    ? across
    : resizeDown(across, 3 * to.width, windows(from.height, to.height));
}

function windows(from: number, to: number): Windows {
  const scale = from / to;
  const support = Math.max(1, scale);
  const widest = 2 * Math.ceil(support) + 1;
  const [starts, counts] = [new Int32Array(to), new Int32Array(to)];
  const shares = new Float64Array(to * widest);
  for (let i = 0; i < to; i += 1) {
    const centre = (i + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - support + 0.5));
    const count = Math.min(from, Math.trunc(centre + support + 0.5)) - start;
    const own = shares.subarray(i * widest, i * widest + count);
    for (let j = 0; j < count; j += 1)
      own[j] = Math.max(0, 1 - Math.abs((start + j + 0.5 - centre) / support));
    const total = own.reduce((sum, share) => sum + share, 0);
    for (let j = 0; j < count; j += 1) own[j] = (own[j] ?? 0) / total;
    [starts[i], counts[i]] = [start, count];
  }
  // The most bits with which the largest weight still fits in 16, the sign included.
  const largest = shares.reduce((most, share) => Math.max(most, share), 0);
  let precision = 0;
  while (precision < 22 && Math.trunc(0.5 + largest * 2 ** (precision + 1)) < 2 ** 15) precision += 1;
  const weights = Int32Array.from(shares, (share) => Math.trunc(share * 2 ** precision + 0.5));
  return { starts, counts, weights, widest, precision };
}

function resizeAcross(rgb: Uint8Array, from: Size, width: number): Uint8Array {
  const { starts, counts, weights, widest, precision } = windows(from.width, width);
  const half = 1 << (precision - 1);
  const target = new Uint8Array(3 * width * from.height);
  let to = 0;
  for (let y = 0; y < from.height; y += 1)
    for (let x = 0; x < width; x += 1) {
      let at = 3 * (y * from.width + (starts[x] ?? 0));
      let [red, green, blue] = [half, half, half];
      const end = x * widest + (counts[x] ?? 0);
      for (let j = x * widest; j < end; j += 1, at += 3) {
        const weight = weights[j] ?? 0;
        red += weight * (rgb[at] ?? 0);
        green += weight * (rgb[at + 1] ?? 0);
        blue += weight * (rgb[at + 2] ?? 0);
      }
      target[to] = red >> precision;
      target[to + 1] = green >> precision;
      target[to + 2] = blue >> precision;
      to += 3;
    }
  return target;
}

/** @param row bytes per row */
function resizeDown(
  rgb: Uint8Array,
  row: number,
  { starts, counts, weights, widest, precision }: Windows,
): Uint8Array {
  const target = new Uint8Array(row * starts.length);
  const sums = new Int32Array(row);
  for (const [y, start] of starts.entries()) {
    sums.fill(1 << (precision - 1));
    for (let j = 0; j < (counts[y] ?? 0); j += 1) {
      const [weight, from] = [weights[y * widest + j] ?? 0, (start + j) * row];
      for (let i = 0; i < row; i += 1) sums[i] = (sums[i] ?? 0) + weight * (rgb[from + i] ?? 0);
    }
    for (let i = 0; i < row; i += 1) target[y * row + i] = (sums[i] ?? 0) >> precision;
  }
  return target;
}
