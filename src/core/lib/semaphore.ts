/** Bounds how many do the same at a time in one isolate. */
export class Room {
  #free: number;

  /** @param places how many it has */
  constructor(places: number) {
    this.#free = places;
  }

  /** Does something if there is a place for it; "full" without doing it if there is none. */
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
