import { signal } from "@preact/signals";

/** A rectangle in CSS pixels of the window. */
export interface Band {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the rectangle between two corners. */
export const bandOf = (from: { x: number; y: number }, to: { x: number; y: number }): Band => ({
  left: Math.min(from.x, to.x),
  top: Math.min(from.y, to.y),
  right: Math.max(from.x, to.x),
  bottom: Math.max(from.y, to.y),
});

/** Tells whether two rectangles overlap. */
export const areTouching = (a: Band, b: Band): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The selected pictures of a gallery, by their keys. */
export class Selection {
  readonly keys = signal<ReadonlySet<string>>(new Set());
  #last: string | null = null;

  /** Selects a picture in addition to the others, or no longer. */
  toggle(key: string): void {
    const keys = new Set(this.keys.peek());
    if (!keys.delete(key)) keys.add(key);
    this.keys.value = keys;
    this.#last = key;
  }

  /** Selects the pictures from the last selected one to this one. */
  extendTo(key: string, shown: readonly string[]): void {
    const ends = [shown.indexOf(this.#last ?? key), shown.indexOf(key)];
    const range = shown.slice(Math.max(0, Math.min(...ends)), Math.max(...ends) + 1);
    this.keys.value = new Set([...this.keys.peek(), ...range]);
  }

  /** Selects these pictures alone. */
  set(keys: readonly string[]): void {
    this.keys.value = new Set(keys);
    this.#last = keys.at(-1) ?? null;
  }
}
