/** Limits how many run at a time in one isolate. */
export class Semaphore {
  #free: number;

  /** @param places how many may run at a time */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `act` if there is a free place; otherwise "full", at once. */
  async within<T>(act: () => Promise<T>): Promise<T | "full"> {
    if (this.#free === 0) return "full";
    this.#free -= 1;
    try {
      return await act();
    } finally {
      this.#free += 1;
    }
  }
}
