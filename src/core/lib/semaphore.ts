/** Limits how many run at a time in one isolate, together and per owner. */
export class Semaphore {
  readonly #placesPerOwner: number;
  readonly #taken = new Map<string, number>();
  #free: number;

  /** @param places how many may run at a time @param placesPerOwner how many of these one owner may have */
  constructor(places: number, placesPerOwner: number) {
    this.#free = places;
    this.#placesPerOwner = placesPerOwner;
  }

  /** Runs `act` if there is a free place for this owner; otherwise "full", at once. */
  async within<T>(owner: string, act: () => Promise<T>): Promise<T | "full"> {
    const taken = this.#taken.get(owner) ?? 0;
    if (this.#free === 0 || taken >= this.#placesPerOwner) return "full";
    this.#take(owner, 1);
    try {
      return await act();
    } finally {
      this.#take(owner, -1);
    }
  }

  /** Takes so many places more, or gives them back. */
  #take(owner: string, more: 1 | -1): void {
    this.#free -= more;
    const taken = (this.#taken.get(owner) ?? 0) + more;
    if (taken === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, taken);
  }
}
