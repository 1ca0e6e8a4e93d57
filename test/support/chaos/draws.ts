/** A fault's name, and its probability each time, from 0 to 1; together at most 1. */
export type FaultTable<Fault extends string> = readonly (readonly [fault: Fault, probability: number])[];

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number =>
  new TextEncoder().encode(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);

/** Numbers that follow from a seed (mulberry32): the same seed gives the same draws in the same order. */
export class Draws {
  #state: number;

  constructor(seed: string) {
    this.#state = hashOf(seed);
  }

  /** A number from 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** One of the table's faults, or null for none. */
  fault<Fault extends string>(table: FaultTable<Fault>): Fault | null {
    let rest = this.next();
    for (const [fault, probability] of table) {
      if (rest < probability) return fault;
      rest -= probability;
    }
    return null;
  }

  /** All of them in any order (Fisher and Yates). */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.between(0, left.length - 1), 1));
  }
}
