/** Keeps results for the next call with the same picture or prompt. Computes each once for all concurrent callers. */
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import type { Corners, LogitGrid } from "@segmentation/masks";
import { ByteCache } from "./byte-cache.ts";

/** Measures the values of a memory, and hands them out. */
interface Kept<V> {
  readonly sizeOf: (value: V) => number;
  /** Adds an owner of the value. */
  readonly share: (value: V) => V;
  /** Gives up the memory's own share of the value. */
  readonly drop: (value: V) => void;
}

/** A value in computation, and the number of callers that wait for it besides the first. */
interface Computing<V> {
  readonly value: Promise<V>;
  /** Usage of the first caller. */
  readonly usage: Usage;
  others: number;
}

export class Remembered<V> {
  readonly #cache: ByteCache<V>;
  readonly #share: (value: V) => V;
  readonly #computing = new Map<string, Computing<V>>();

  /** @param budget bytes; 0 keeps nothing */
  constructor(budget: number, { sizeOf, share, drop }: Kept<V>) {
    this.#cache = new ByteCache(budget, sizeOf, drop);
    this.#share = share;
  }

  /** Returns the value under the key, or computes it with `compute`. Keeps nothing under a null key. */
  async get(
    key: string | null,
    usage: Usage,
    compute: () => Promise<V>,
  ): Promise<{ value: V; cached: boolean }> {
    if (key === null) return { value: await compute(), cached: false };
    const known = this.#cache.get(key);
    if (known !== undefined) return { value: this.#share(known), cached: true };
    const computing = this.#computing.get(key);
    if (computing !== undefined) {
      computing.others += 1;
      try {
        return { value: await usage.waiting(() => computing.value), cached: true };
      } catch (error) {
        // The first caller gave up; that must not fail the other callers.
        if (computing.usage.signal?.aborted !== true || usage.signal?.aborted === true) throw error;
        return await this.get(key, usage, compute);
      }
    }
    const begun: Computing<V> = { value: compute(), usage, others: 0 };
    this.#computing.set(key, begun);
    try {
      const value = await begun.value;
      // Before any caller continues: the first one may release its share before the others have theirs.
      for (let other = 0; other < begun.others; other += 1) this.#share(value);
      this.#cache.set(key, this.#share(value));
      return { value, cached: false };
    } finally {
      this.#computing.delete(key);
    }
  }

  clear(): void {
    this.#cache.clear();
  }
}

/** Remembers results that graphs left on the device; each caller must release its share. */
export function heldMemory(budget: number): Remembered<Held> {
  return new Remembered(budget, {
    sizeOf: ({ size }) => size,
    share: (held) => held.share(),
    drop: (held) => held[Symbol.dispose](),
  });
}

/** Remembers values that need no release. */
export function valueMemory<V>(budget: number, sizeOf: (value: V) => number): Remembered<V> {
  return new Remembered(budget, { sizeOf, share: (value) => value, drop: () => undefined });
}

/** Boxes are small compared with features: this holds those of thousands of pictures, or dozens with masks. */
const DETECTION_MEMORY_BYTES = 16 * 1024 * 1024;
const DETECTION_BYTES = 128;

/** Remembers a detector's results for pictures, by content hash. */
export function detectionMemory<
  Detection extends { readonly box: Corners; readonly mask?: LogitGrid },
>(): Remembered<readonly Detection[]> {
  return valueMemory(DETECTION_MEMORY_BYTES, (detections) =>
    detections.reduce(
      (sum, { mask }) => sum + DETECTION_BYTES + (mask?.logits.byteLength ?? 0),
      DETECTION_BYTES,
    ),
  );
}
