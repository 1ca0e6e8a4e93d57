/** A cache with a limit in bytes that evicts the least recently used values first. */
export class ByteCache<V, K = string> {
  readonly #budget: number;
  readonly #sizeOf: (value: V) => number;
  readonly #drop: (value: V) => void;
  /** From the least to the most recently used: a read moves its entry to the end. */
  readonly #entries = new Map<K, V>();
  #bytes = 0;

  /**
   * @param budget bytes; 0 keeps nothing
   * @param sizeOf gives a value's bytes, which must never change
   * @param drop is called with each value that the cache does not keep, or no longer
   */
  constructor(budget: number, sizeOf: (value: V) => number, drop: (value: V) => void = () => undefined) {
    this.#budget = budget;
    this.#sizeOf = sizeOf;
    this.#drop = drop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Keeps a value and drops others to stay within the budget. Does not keep a value larger than the whole budget. */
  set(key: K, value: V): void {
    this.delete(key);
    if (this.#sizeOf(value) > this.#budget) return this.#drop(value);
    this.#entries.set(key, value);
    this.#bytes += this.#sizeOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#budget) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
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
