import { drawPatch, type Patch, type Placed, rectAround } from "./index-map.ts";
import type { Request } from "./messages.ts";
import { fromBelow, type PackedMask } from "./packed.ts";

type Open = Extract<Request, { type: "open" }>;
type Show = Extract<Request, { type: "show" }>;

/** The decoded masks of a picture or clip, and what the page's index map has of them. */
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

  /** Draws what has changed of the map since the last call. */
  show({ masks }: Show): { readonly patch: Patch | null; readonly missing: readonly string[] } {
    const missing: string[] = [];
    const wanted: Placed[] = [];
    for (const { key, slot } of masks) {
      const mask = this.#masks.get(key);
      if (mask === undefined) missing.push(key);
      else wanted.push({ mask, slot });
    }
    wanted.sort((a, b) => fromBelow(a.mask, b.mask));
    const { width, height, step } = this.#map;
    const rect = rectAround(differences(this.#drawn, wanted), step, width, height);
    this.#drawn = wanted;
    return { patch: rect === null ? null : drawPatch(rect, wanted, step), missing };
  }
}

/** The masks that only one of the lists has, with that slot. */
function differences(before: readonly Placed[], after: readonly Placed[]): Placed[] {
  const slots = new Map(before.map(({ mask, slot }) => [mask, slot]));
  const different = after.filter(({ mask, slot }) => slots.get(mask) !== slot);
  const kept = new Set(after.map(({ mask }) => mask));
  return [...different, ...before.filter(({ mask }) => !kept.has(mask))];
}
