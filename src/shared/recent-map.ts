/**
 * Remembers recent entries: each for `lifetimeMs` after it was last put, and at most `capacity` of them; the least recently
 * put makes room. Times are epoch milliseconds.
 */
export class RecentMap<Value> {
  readonly #capacity: number;
  readonly #lifetimeMs: number;
  /** In the order in which they were put. */
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(capacity: number, lifetimeMs: number) {
    this.#capacity = capacity;
    this.#lifetimeMs = lifetimeMs;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && now < entry.until ? entry.value : undefined;
  }

  /** Sets a key's value, replacing an earlier one. */
  put(key: string, value: Value, now: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: now + this.#lifetimeMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) return;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
