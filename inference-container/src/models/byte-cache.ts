/** A cache bounded by bytes that forgets what was least recently used. */
export class ByteCache<V> {
  readonly #budget: number;
  readonly #sizeOf: (value: V) => number;
  readonly #drop: (value: V) => void;
  /** Iterates from the least to the most recently used: a read moves its entry to the end. */
  readonly #entries = new Map<string, V>();
  #bytes = 0;

  /**
   * `budget` in bytes, 0 keeps nothing; `sizeOf` gives a value's bytes and must not change over its life; `drop` hears of
   * each value that is not kept, or no longer.
   */
  constructor(budget: number, sizeOf: (value: V) => number, drop: (value: V) => void = () => undefined) {
    this.#budget = budget;
    this.#sizeOf = sizeOf;
    this.#drop = drop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Keeps a value, dropping others to stay within the budget; one larger than the whole budget is not kept. */
  set(key: string, value: V): void {
    this.delete(key);
    if (this.#sizeOf(value) > this.#budget) return this.#drop(value);
    this.#entries.set(key, value);
    this.#bytes += this.#sizeOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#budget) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#sizeOf(value);
    this.#drop(value);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
