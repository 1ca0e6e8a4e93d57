import type { BitMask } from "../masks/bit-mask.ts";

/** A rectangle of pixels; right and bottom are outside. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** The middle of the uppermost row's pixels. */
  readonly peak: number;
}

/** The smallest rectangle around a mask's set pixels; empty (right ≤ left) where none is set. */
export function boundsOf({ width, height, stride, bits }: BitMask): Bounds {
  let left = width;
  let top = height;
  let right = 0;
  let bottom = 0;
  let peak = 0;
  for (let y = 0; y < height; y++) {
    const row = bits.subarray(y * stride, (y + 1) * stride);
    const first = row.findIndex((byte) => byte !== 0);
    if (first < 0) continue;
    const last = row.findLastIndex((byte) => byte !== 0);
    const from = first * 8 + Math.clz32(row[first] ?? 0) - 24;
    const to = last * 8 + 8 - trailingZeros(row[last] ?? 0);
    if (y < top) peak = (from + to) / 2;
    left = Math.min(left, from);
    right = Math.max(right, to);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return { left, top, right, bottom, peak };
}

function trailingZeros(byte: number): number {
  return 31 - Math.clz32(byte & -byte);
}
