import type { Point } from "../types.ts";

/** A mask's pixels, eight a byte, in the box around them. */
export interface PackedMask {
  /** Where the bits begin, in pixels of the picture; `x` is a multiple of 8. */
  readonly x: number;
  readonly y: number;
  /** Bytes per row. */
  readonly stride: number;
  readonly rows: number;
  /** Row by row; the first pixel of a byte is its highest bit. */
  readonly bits: Uint8Array<ArrayBuffer>;
  /** The number of pixels inside. */
  readonly area: number;
}

/** Whether a whole pixel of the picture is inside the mask. */
export function isInside({ x, y, stride, rows, bits }: PackedMask, at: Point): boolean {
  const byte = (at.x >> 3) - (x >> 3);
  const row = at.y - y;
  if (byte < 0 || byte >= stride || row < 0 || row >= rows) return false;
  return ((bits[row * stride + byte] ?? 0) & (128 >> (at.x & 7))) !== 0;
}

/** The order of masks that lie on each other: the smaller one is above, because it would not be seen below. */
export const fromBelow = (a: PackedMask, b: PackedMask): number => b.area - a.area;
