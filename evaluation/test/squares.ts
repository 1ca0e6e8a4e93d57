import { type Mask, maskOfPixels } from "../src/measures/mask.ts";
import type { Find, Label } from "../src/measures/query.ts";

export const SIDE = 200;

/** A mask on 200 × 200 pixels: those from (x, y) on, `width` across and `height` down. */
export function rectangle(x: number, y: number, width: number, height: number): Mask {
  const pixels = new Uint8Array(SIDE * SIDE);
  for (let row = y; row < y + height; row++) pixels.fill(1, row * SIDE + x, row * SIDE + x + width);
  return maskOfPixels(pixels, SIDE, SIDE);
}

export function label(mask: Mask, crowd = false): Label {
  return { mask, area: mask.area, crowd };
}

export function find(score: number, mask: Mask): Find {
  return { score, mask };
}
