import type { PackedMask } from "./packed.ts";

/** A mask in the map, and the number that its pixels get there: 1 to 65,535. */
export interface Placed {
  readonly mask: PackedMask;
  readonly slot: number;
}

/** A rectangle in pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A part of an index map: for each pixel the slot of the topmost mask there, 0 if there is none. */
export interface Patch extends Rect {
  readonly slots: Uint16Array<ArrayBuffer>;
}

/**
 * Draws masks into the part `rect` of a map; later ones lie on earlier ones. A pixel of the map stands for `step` × `step` of the
 * picture and shows the upper left one of them; `rect` is in the map's pixels.
 */
export function drawPatch(rect: Rect, masks: readonly Placed[], step: number): Patch {
  const slots = new Uint16Array(rect.width * rect.height);
  for (const { mask, slot } of masks) {
    const from = Math.max(rect.y, Math.ceil(mask.y / step));
    const to = Math.min(rect.y + rect.height, Math.ceil((mask.y + mask.rows) / step));
    for (let y = from; y < to; y++) {
      const source = (y * step - mask.y) * mask.stride;
      const target = (y - rect.y) * rect.width - rect.x;
      for (let i = 0; i < mask.stride; i++) {
        const byte = mask.bits[source + i] ?? 0;
        // Most bytes are clear.
        if (byte === 0) continue;
        const left = mask.x + i * 8;
        for (let x = Math.max(rect.x, Math.ceil(left / step)); x * step < left + 8; x++)
          if (byte & (128 >> (x * step - left)) && x < rect.x + rect.width) slots[target + x] = slot;
      }
    }
  }
  return { ...rect, slots };
}

/** The smallest rectangle of the map around all masks; null if there is no pixel in it. */
export function rectAround(
  masks: readonly Placed[],
  step: number,
  width: number,
  height: number,
): Rect | null {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (const { mask } of masks) {
    if (mask.area === 0) continue;
    left = Math.min(left, Math.ceil(mask.x / step));
    top = Math.min(top, Math.ceil(mask.y / step));
    right = Math.max(right, Math.min(width, Math.ceil((mask.x + mask.stride * 8) / step)));
    bottom = Math.max(bottom, Math.min(height, Math.ceil((mask.y + mask.rows) / step)));
  }
  return left < right && top < bottom ? { x: left, y: top, width: right - left, height: bottom - top } : null;
}
