const MOST = 10_000;

/** Remembers keys for a while, at most the last ten thousand. */
export class KeyMemory {
  readonly #keepMs: number;
  readonly #addedAt = new Map<string, number>();

  /** @param keepMs milliseconds for which a key is remembered */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  has(key: string): boolean {
    const addedAt = this.#addedAt.get(key);
    return addedAt !== undefined && Date.now() - addedAt < this.#keepMs;
  }

  forget(key: string): void {
    this.#addedAt.delete(key);
  }

  /** Remembers a key, and forgets keys that are too old or too many. */
  add(key: string): void {
    this.#addedAt.delete(key);
    this.#addedAt.set(key, Date.now());
    for (const [oldest, addedAt] of this.#addedAt) {
      if (this.#addedAt.size <= MOST && Date.now() - addedAt < this.#keepMs) break;
      this.#addedAt.delete(oldest);
    }
  }
}
