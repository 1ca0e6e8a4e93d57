/** Gives each id a number from 1, and the same one as long as it is asked for; numbers that are free again come first. */
export class Slots {
  #slots = new Map<string, number>();

  /** The slots of these ids; all others lose theirs. */
  of(ids: readonly string[]): ReadonlyMap<string, number> {
    const kept = ids.filter((id) => this.#slots.has(id)).map((id) => this.#slots.get(id) ?? 0);
    const taken = new Set(kept);
    let free = 0;
    const next = (): number => {
      do free++;
      while (taken.has(free));
      return free;
    };
    this.#slots = new Map(ids.map((id) => [id, this.#slots.get(id) ?? next()]));
    return this.#slots;
  }
}
