const MOST = 10_000;
const KEEP_MS = 3_600_000;

/** Remembers finished keys for an hour, at most the last ten thousand, so that a repeated POST starts no task again. */
export class FinishedKeys {
  readonly #endedAt = new Map<string, number>();

  has(key: string): boolean {
    const endedAt = this.#endedAt.get(key);
    return endedAt !== undefined && Date.now() - endedAt < KEEP_MS;
  }

  add(key: string): void {
    this.#endedAt.delete(key);
    this.#endedAt.set(key, Date.now());
    for (const [oldest, endedAt] of this.#endedAt) {
      if (this.#endedAt.size <= MOST && Date.now() - endedAt < KEEP_MS) break;
      this.#endedAt.delete(oldest);
    }
  }
}
