/** Random numbers from one seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) || 1;
    for (let i = 0; i < 8; i++) this.#next();
  }

  /** Uniformly distributed from `least` up to `most`. */
  between(least: number, most: number): number {
    return least + (most - least) * this.#next();
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  /** Normally distributed about 0 with a standard deviation of 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#next())) * Math.cos(2 * Math.PI * this.#next());
  }

  /** Marsaglia's 32-bit xorshift. */
  #next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) / 2 ** 32;
  }
}
