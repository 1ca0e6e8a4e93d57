import type { MaskSource } from "../types.ts";
import { fromBelow, type PackedMask } from "./packed.ts";

/** Mask in the map, and the index of its pixels there: 1 to 65,535. */
interface Placed {
  readonly mask: PackedMask;
  readonly index: number;
}

/** Rectangle of an index map, in its pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Part of an index map: for each pixel the index of the topmost mask there, 0 if there is none. */
export interface Patch extends Rect {
  readonly indexes: Uint16Array<ArrayBuffer>;
}

/**
 * Draws masks into the part `rect` of a map; later ones lie on earlier ones. A pixel of the map represents `step` × `step` of the
 * picture and shows the upper left one of them; `rect` is in the map's pixels.
 */
function drawPatch(rect: Rect, masks: readonly Placed[], step: number): Patch {
  const indexes = new Uint16Array(rect.width * rect.height);
  for (const { mask, index } of masks) {
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
          if (byte & (128 >> (x * step - left)) && x < rect.x + rect.width) indexes[target + x] = index;
      }
    }
  }
  return { ...rect, indexes };
}

/** The smallest rectangle of the map around all masks; null if there is no pixel in it. */
function rectAround(masks: readonly Placed[], step: number, width: number, height: number): Rect | null {
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

type Open = Extract<Request, { type: "open" }>;
type Show = Extract<Request, { type: "show" }>;

/** Decoded masks of a picture or video, and those that the page's index map shows. */
export class ShownMasks {
  readonly #masks = new Map<string, PackedMask>();
  #map: Omit<Open, "type"> = { width: 0, height: 0, step: 1 };
  #drawn: readonly Placed[] = [];

  open({ width, height, step }: Open): void {
    this.#masks.clear();
    this.#drawn = [];
    this.#map = { width, height, step };
  }

  keep(key: string, mask: PackedMask): void {
    this.#masks.set(key, mask);
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#masks.delete(key);
  }

  /** Draws the map's changes since the last call. */
  show({ masks }: Show): { readonly patch: Patch | null; readonly missing: readonly string[] } {
    const missing: string[] = [];
    const wanted: Placed[] = [];
    for (const { key, index } of masks) {
      const mask = this.#masks.get(key);
      if (mask === undefined) missing.push(key);
      else wanted.push({ mask, index });
    }
    wanted.sort((a, b) => fromBelow(a.mask, b.mask));
    const { width, height, step } = this.#map;
    const rect = rectAround(differences(this.#drawn, wanted), step, width, height);
    this.#drawn = wanted;
    return { patch: rect === null ? null : drawPatch(rect, wanted, step), missing };
  }
}

/** Returns the masks that only one of the lists has, with that index. */
function differences(before: readonly Placed[], after: readonly Placed[]): Placed[] {
  const indexes = new Map(before.map(({ mask, index }) => [mask, index]));
  const different = after.filter(({ mask, index }) => indexes.get(mask) !== index);
  const kept = new Set(after.map(({ mask }) => mask));
  return [...different, ...before.filter(({ mask }) => !kept.has(mask))];
}

/** Request of the page to the worker that has the masks. */
export type Request =
  /** Starts over with an empty map of that size; a pixel of it represents `step` × `step` of the picture. */
  | { readonly type: "open"; readonly width: number; readonly height: number; readonly step: number }
  /** Decodes a mask. */
  | { readonly type: "decode"; readonly key: string; readonly source: MaskSource }
  | { readonly type: "forget"; readonly keys: readonly string[] }
  /** Shows these masks and no others, each with its index; masks that are still being decoded come when they are. */
  | {
      readonly type: "show";
      readonly turn: number;
      readonly masks: readonly { readonly key: string; readonly index: number }[];
    };

/** Answer of the worker. */
export type Answer =
  | { readonly type: "decoded"; readonly key: string; readonly mask: PackedMask }
  | { readonly type: "damaged"; readonly key: string }
  /** The map's changed part since the last answer, null without changes; `whole` once all masks of the batch are in it. */
  | {
      readonly type: "shown";
      readonly turn: number;
      readonly whole: boolean;
      readonly patch: Patch | null;
    };
