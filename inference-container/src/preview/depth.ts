import type { BitMask } from "../masks/bit-mask.ts";
import type { Bounds } from "./bounds.ts";

/** A byte for each pixel of a part of the picture. */
export interface DepthMap {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly depth: Uint8Array;
}

/**
 * How deep the pixels around a mask's bounds lie inside it, in thirds of a pixel, up to 255; 0 outside: the 3-4 chamfer
 * distance (G. Borgefors, "Distance transformations in digital images", 1986) to the nearest pixel outside. The
 * picture's border doesn't count as outside: an object that is cut off there goes on.
 */
export function depthOf(mask: BitMask, bounds: Bounds): DepthMap {
  const left = Math.max(bounds.left - 1, 0);
  const top = Math.max(bounds.top - 1, 0);
  const width = Math.min(bounds.right + 1, mask.width) - left;
  const height = Math.min(bounds.bottom + 1, mask.height) - top;
  const map = { left, top, width, height, depth: unpack(mask, left, top, width, height) };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) relax(map, y * width + x, x, y > 0 ? -width : 0, x > 0 ? -1 : 0);
  }
  for (let y = height - 1; y >= 0; y--) {
    const below = y < height - 1 ? width : 0;
    for (let x = width - 1; x >= 0; x--) relax(map, y * width + x, x, below, x < width - 1 ? 1 : 0);
  }
  return map;
}

/** Lowers a pixel's depth to what its neighbours on one side allow; an offset of 0 means there is none. */
function relax({ width, depth }: DepthMap, at: number, x: number, row: number, side: number): void {
  let least = depth[at] ?? 0;
  if (least === 0) return;
  if (side !== 0) least = Math.min(least, (depth[at + side] ?? 0) + 3);
  if (row !== 0) {
    least = Math.min(least, (depth[at + row] ?? 0) + 3);
    if (x > 0) least = Math.min(least, (depth[at + row - 1] ?? 0) + 4);
    if (x < width - 1) least = Math.min(least, (depth[at + row + 1] ?? 0) + 4);
  }
  depth[at] = least;
}

/** 255 inside, 0 outside. */
function unpack(mask: BitMask, left: number, top: number, width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = (top + y) * mask.stride;
    for (let x = 0; x < width; x++) {
      const byte = mask.bits[row + ((left + x) >> 3)] ?? 0;
      if ((byte >> (7 - ((left + x) & 7))) & 1) bytes[y * width + x] = 255;
    }
  }
  return bytes;
}
