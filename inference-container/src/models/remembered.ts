/** Results that are kept for the next call on the same picture or prompt, and computed once for all who ask meanwhile. */
import type { Held } from "../device/held.ts";
import type { Usage } from "../device/usage.ts";
import { ByteCache } from "./byte-cache.ts";

/** How a memory counts what it keeps, and hands it out. */
interface Kept<V> {
  readonly sizeOf: (value: V) => number;
  /** One more who has the value. */
  readonly share: (value: V) => V;
  /** The memory has it no more. */
  readonly drop: (value: V) => void;
}

/** What is computed just now, and how many beside the first wait for it. */
interface Computing<V> {
  readonly value: Promise<V>;
  /** Of the first who asked, for whom it is computed. */
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

  /** What is kept under the key, else what `compute` gives; under a null key nothing is ever kept. */
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
        return { value: await waited(computing.value, usage), cached: true };
      } catch (error) {
        // The first gave up, which is no reason for those who waited with it.
        if (computing.usage.signal?.aborted !== true || usage.signal?.aborted === true) throw error;
        return await this.get(key, usage, compute);
      }
    }
    const begun: Computing<V> = { value: compute(), usage, others: 0 };
    this.#computing.set(key, begun);
    try {
      const value = await begun.value;
      // Before anyone goes on: whoever does first may let go before the others have it.
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

/** Another's turn with the device is waited for. */
async function waited<V>(asked: Promise<V>, usage: Usage): Promise<V> {
  usage.asked();
  try {
    return await asked;
  } finally {
    usage.left();
  }
}

/** Remembers what graphs gave, where they run; each who gets it has to let go of it. */
export function heldMemory(budget: number): Remembered<Held> {
  return new Remembered(budget, {
    sizeOf: ({ size }) => size,
    share: (held) => held.share(),
    drop: (held) => held[Symbol.dispose](),
  });
}

/** Boxes are small beside features: this holds those of thousands of pictures. */
const DETECTION_MEMORY_BYTES = 4 * 1024 * 1024;
const DETECTION_BYTES = 128;

/** Remembers what a detector found on pictures, by their content. */
export function detectionMemory<Detection>(): Remembered<readonly Detection[]> {
  return new Remembered<readonly Detection[]>(DETECTION_MEMORY_BYTES, {
    sizeOf: (detections) => DETECTION_BYTES * (detections.length + 1),
    share: (detections) => detections,
    drop: () => undefined,
  });
}
