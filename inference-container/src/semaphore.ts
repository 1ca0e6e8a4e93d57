/** A bounded number of places, granted in the order of the requests. */
export class Semaphore {
  readonly #count: number;
  #free: number;
  readonly #waiting: { readonly places: number; readonly resolve: () => void }[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /**
   * Waits for places; disposing of them frees them. A request for more places than exist gets all.
   * @throws the signal's reason if that aborts meanwhile
   */
  async acquire(signal?: AbortSignal, wanted = 1): Promise<Disposable> {
    signal?.throwIfAborted();
    const places = Math.min(wanted, this.#count);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { places, resolve };
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiter);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal?.reason);
      this.#grant();
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#waiting.push(waiter);
    this.#grant();
    await promise.finally(() => signal?.removeEventListener("abort", leave));
    return {
      [Symbol.dispose]: () => {
        this.#free += places;
        this.#grant();
      },
    };
  }

  #grant(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && next.places <= this.#free;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#free -= next.places;
      next.resolve();
    }
  }
}
