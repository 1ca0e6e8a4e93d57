/**
 * Limits the concurrent runs in one isolate, together and per owner. The platform may end a run without running more of its code,
 * after a disconnection or at the end of its time: then its place is free after the time limit.
 */
export class Semaphore {
  readonly #places: number;
  readonly #placesPerOwner: number;
  readonly #mostMs: number;
  readonly #taken = new Set<{ readonly owner: string; readonly places: number; readonly until: number }>();

  /**
   * @param places maximum number of concurrent runs that take one place each
   * @param placesPerOwner maximum number of an owner's places
   * @param mostMs milliseconds after which a run counts as over
   */
  constructor(places: number, placesPerOwner: number, mostMs: number) {
    this.#places = places;
    this.#placesPerOwner = placesPerOwner;
    this.#mostMs = mostMs;
  }

  /** Runs `act` if this owner has enough free places at `now` (epoch ms); otherwise returns "full" at once. */
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
