import type { Bitmap, Box } from "./bitmap.ts";
import type { MaskPng } from "./png.ts";

/** How many bits each byte has. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** The number of set pixels and the box around them, without unpacking the rows; of an empty mask zeros. */
export function measure({ width, height, rows }: Pick<MaskPng, "width" | "height" | "rows">): {
  readonly area: number;
  readonly box: Box;
} {
  const length = Math.ceil(width / 8);
  let area = 0;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < length; i++) {
      const byte = rows[y * length + i] ?? 0;
      if (byte === 0) continue;
      area += BITS[byte] ?? 0;
      left = Math.min(left, i * 8 + Math.clz32(byte) - 24);
      right = Math.max(right, i * 8 + 8 - (31 - Math.clz32(byte & -byte)));
      if (top === height) top = y;
      bottom = y + 1;
    }
  }
  return { area, box: area === 0 ? [0, 0, 0, 0] : [left, top, right - left, bottom - top] };
}

/** The pixels as bytes. */
export function unpack({ width, height, rows }: MaskPng): Bitmap {
  const length = Math.ceil(width / 8);
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++)
      if ((rows[y * length + (x >> 3)] ?? 0) & (128 >> (x & 7))) data[at] = 255;
  return { width, height, data };
}
