/** Lets callers sleep until something changes. */
export class Changes {
  readonly #sleepers = new Set<() => void>();

  notify(): void {
    for (const wake of this.#sleepers) wake();
  }

  /** Resolves at the next change, after `ms` milliseconds, or once `signal` aborts. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener("abort", wake);
      this.#sleepers.add(wake);
      if (signal.aborted) wake();
    });
  }
}
