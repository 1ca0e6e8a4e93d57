import { measureMask, packMask, type PackedRows } from "@segmentation/masks";
import { decodeRle, readMaskPng } from "segmentation-client/masks";
import type { MaskSource, Point } from "../types.ts";

/** A mask's pixels, eight a byte, in the box around them. */
export interface PackedMask {
  /** Position of the first bit, in pixels of the picture; `x` is a multiple of 8. */
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

/** Tells whether a whole pixel of the picture is inside the mask. */
export function isInside({ x, y, stride, rows, bits }: PackedMask, at: Point): boolean {
  const byte = (at.x >> 3) - (x >> 3);
  const row = at.y - y;
  if (byte < 0 || byte >= stride || row < 0 || row >= rows) return false;
  return ((bits[row * stride + byte] ?? 0) & (128 >> (at.x & 7))) !== 0;
}

/** Tells whether more than half of a mask's pixels are in the rectangle between two points of the picture. */
export function isMostlyWithin(mask: PackedMask, a: Point, b: Point): boolean {
  const right = Math.min(Math.max(a.x, b.x), mask.x + mask.stride * 8);
  const bottom = Math.min(Math.max(a.y, b.y), mask.y + mask.rows);
  let inside = 0;
  for (let y = Math.max(mask.y, Math.round(Math.min(a.y, b.y))); y < bottom; y++)
    for (let x = Math.max(mask.x, Math.round(Math.min(a.x, b.x))); x < right; x++)
      if (isInside(mask, { x, y })) inside += 1;
  return 2 * inside > mask.area;
}

/** A pixel in the middle of a mask: the middle of its longest row; null for an empty mask. */
export function coreOf({ x, y, stride, rows, bits }: PackedMask): Point | null {
  let best = { length: 0, x: 0, y: 0 };
  for (let row = 0; row < rows; row++)
    for (let at = 0, from = 0; at <= stride * 8; at++) {
      const isSet = at < stride * 8 && ((bits[row * stride + (at >> 3)] ?? 0) & (128 >> (at & 7))) !== 0;
      if (isSet) continue;
      if (at - from > best.length) best = { length: at - from, x: x + ((from + at - 1) >> 1), y: y + row };
      from = at + 1;
    }
  return best.length === 0 ? null : { x: best.x, y: best.y };
}

/** The order of masks that lie on each other: the smaller one is above, because it would not be seen below. */
export const fromBelow = (a: PackedMask, b: PackedMask): number => b.area - a.area;

/** Decodes a mask; of an empty one the box is empty. @throws RangeError if it is damaged */
export async function decodeMask(source: MaskSource): Promise<PackedMask> {
  if (source instanceof Blob) return crop(await readMaskPng(new Uint8Array(await source.arrayBuffer())));
  return crop(packMask("counts" in source ? decodeRle(source) : source));
}

/** Keeps the bytes around the mask. */
function crop(packed: PackedRows): PackedMask {
  const { area, box } = measureMask(packed);
  const [left, top, width, height] = box;
  const from = left >> 3;
  const stride = area === 0 ? 0 : ((left + width + 7) >> 3) - from;
  const bits = new Uint8Array(stride * height);
  const length = Math.ceil(packed.width / 8);
  for (let y = 0; y < height; y++) {
    const at = (top + y) * length + from;
    bits.set(packed.rows.subarray(at, at + stride), y * stride);
  }
  return { x: from * 8, y: top, stride, rows: height, bits, area };
}
