/**
 * Limits how many run at a time in one isolate, together and per owner. The platform may end a run without a word, after a
 * disconnection or at the end of its time: then nothing of it is executed any more, and its place is free once it must be over.
 */
export class Semaphore {
  readonly #places: number;
  readonly #placesPerOwner: number;
  readonly #mostMs: number;
  readonly #taken = new Set<{ readonly owner: string; readonly places: number; readonly until: number }>();

  /**
   * @param places how many may run at a time, if each takes one
   * @param placesPerOwner how many of these one owner may have
   * @param mostMs after how many milliseconds a run counts as over
   */
  constructor(places: number, placesPerOwner: number, mostMs: number) {
    this.#places = places;
    this.#placesPerOwner = placesPerOwner;
    this.#mostMs = mostMs;
  }

  /** Runs `act` if there are so many free places for this owner at `now` (epoch ms); otherwise "full", at once. */
  async within<T>(owner: string, now: number, act: () => Promise<T>, places = 1): Promise<T | "full"> {
    let [all, ofOwner] = [places, places];
    for (const other of this.#taken) {
      if (other.until <= now) {
        this.#taken.delete(other);
        continue;
      }
      all += other.places;
      if (other.owner === owner) ofOwner += other.places;
    }
    if (all > this.#places || ofOwner > this.#placesPerOwner) return "full";
    const place = { owner, places, until: now + this.#mostMs };
    this.#taken.add(place);
    try {
      return await act();
    } finally {
      this.#taken.delete(place);
    }
  }
}
