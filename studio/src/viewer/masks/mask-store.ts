import { signal } from "@preact/signals";
import type { MaskSource, Point, Size } from "../types.ts";
import type { Answer, Patch, Request } from "./index-map.ts";
import { coreOf, fromBelow, isInside, isMostlyWithin, type PackedMask } from "./packed.ts";

/** Mask to show: its key, and the index of its pixels in the index map. */
export interface Wanted {
  readonly key: string;
  readonly index: number;
}

/** Events of the map, in their order. */
interface MaskStoreEvents {
  /** A part of the map has changed. */
  readonly onPatch: (patch: Patch) => void;
  /** All masks of the latest `show` are in the map. */
  readonly onWhole: () => void;
}

/** Masks of one picture or video: a worker decodes them and draws the index map; the page has them for hit tests. */
export class MaskStore {
  /** The keys of masks whose files can't be read. */
  readonly damaged = signal<ReadonlySet<string>>(new Set());
  /** Changes whenever a mask has been decoded. */
  readonly decoded = signal(0);
  readonly #worker = new Worker(new URL("./masks.worker.ts", import.meta.url), { type: "module" });
  readonly #masks = new Map<string, PackedMask>();
  readonly #sent = new Map<string, MaskSource>();
  #isLost = false;
  #turn = 0;
  #stale = 0;
  #shown: readonly Wanted[] = [];

  constructor({ onPatch, onWhole }: MaskStoreEvents) {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      switch (data.type) {
        case "decoded":
          if (this.#sent.has(data.key)) this.#masks.set(data.key, data.mask);
          this.decoded.value++;
          break;
        case "damaged":
          this.damaged.value = new Set([...this.damaged.value, data.key]);
          break;
        case "shown":
          if (data.turn <= this.#stale) break;
          if (data.patch !== null) onPatch(data.patch);
          if (data.whole && data.turn === this.#turn) onWhole();
      }
    });
    // The worker answers masks that it can't read: this error means that its script has not loaded.
    this.#worker.addEventListener("error", () => {
      this.#isLost = true;
      this.damaged.value = new Set(this.#sent.keys());
    });
  }

  /** Starts over with another picture or step; the map is empty. */
  open({ width, height }: Size, step: number): void {
    this.#masks.clear();
    this.#sent.clear();
    this.damaged.value = new Set();
    this.#shown = [];
    this.#stale = this.#turn;
    this.#send({ type: "open", width: Math.ceil(width / step), height: Math.ceil(height / step), step });
  }

  /** Has masks decoded that aren't yet, and forgets all others. */
  keep(sources: ReadonlyMap<string, MaskSource>): void {
    const gone = [...this.#sent.keys()].filter((key) => !sources.has(key));
    if (gone.length > 0) this.#send({ type: "forget", keys: gone });
    for (const key of gone) {
      this.#sent.delete(key);
      this.#masks.delete(key);
    }
    for (const [key, source] of sources) {
      if (this.#sent.has(key)) continue;
      this.#sent.set(key, source);
      if (this.#isLost) this.damaged.value = new Set(this.#sent.keys());
      this.#send({ type: "decode", key, source });
    }
  }

  /** Shows these masks and no others; those that are still being decoded come when they are. */
  show(masks: readonly Wanted[]): void {
    this.#shown = masks;
    this.#send({ type: "show", turn: ++this.#turn, masks });
  }

  /** A mask, if it has been decoded. */
  mask(key: string): PackedMask | undefined {
    return this.#masks.get(key);
  }

  /** Returns a pixel in the middle of a mask; null if it is empty, or not decoded yet. */
  coreOf(key: string): Point | null {
    const mask = this.#masks.get(key);
    return mask === undefined ? null : coreOf(mask);
  }

  /** The topmost of the masks shown at a whole pixel of the picture: the smallest; null if there is none. */
  topmostAt(pixel: Point): string | null {
    let best: { readonly key: string; readonly mask: PackedMask } | null = null;
    for (const { key } of this.#shown) {
      const mask = this.#masks.get(key);
      if (mask === undefined || !isInside(mask, pixel)) continue;
      if (best === null || fromBelow(best.mask, mask) <= 0) best = { key, mask };
    }
    return best?.key ?? null;
  }

  /** Returns the shown masks that are mostly inside the rectangle between two points of the picture. */
  within(a: Point, b: Point): string[] {
    return this.#shown.flatMap(({ key }) => {
      const mask = this.#masks.get(key);
      return mask !== undefined && isMostlyWithin(mask, a, b) ? [key] : [];
    });
  }

  /** Ends the worker. */
  close(): void {
    this.#worker.terminate();
  }

  #send(request: Request): void {
    this.#worker.postMessage(request, []);
  }
}

/** Gives each id a number from 1, which it keeps while it is in use. Reuses free numbers first. */
export class MaskIndexes {
  #indexes = new Map<string, number>();

  /** Returns the indexes of these ids; all others lose theirs. */
  of(ids: readonly string[]): ReadonlyMap<string, number> {
    const kept = ids.filter((id) => this.#indexes.has(id)).map((id) => this.#indexes.get(id) ?? 0);
    const taken = new Set(kept);
    let free = 0;
    const next = (): number => {
      do free++;
      while (taken.has(free));
      return free;
    };
    this.#indexes = new Map(ids.map((id) => [id, this.#indexes.get(id) ?? next()]));
    return this.#indexes;
  }
}
