/** The largest prime below 2^16. */
const MODULUS = 65_521;

/**
 * The Adler-32 checksum (RFC 1950, 2.2 and 8.2) of rows of equal length, given as stretches of equal bytes: `a` is 1
 * plus the sum of all bytes, `b` the sum of all values that `a` took. So n bytes of value v that begin i bytes into a
 * row of length L add n · v to the row's own sum, and v · (n · (L − i) − n · (n − 1) / 2) to its share of `b`.
 */
export class RowAdler {
  readonly #length: number;
  #a = 1;
  #b = 0;
  #sum = 0;
  #weighted = 0;

  /** @param length bytes per row, at most 2^22, so that every sum is exact in a float64 */
  constructor(length: number) {
    this.#length = length;
  }

  /** Adds `count` bytes of this value to the row, from its byte `at` on. */
  add(at: number, value: number, count: number): void {
    this.#sum += value * count;
    this.#weighted += value * (count * (this.#length - at) - (count * (count - 1)) / 2);
  }

  /** Ends the row, which comes `times` times, at most 2^22. */
  endRow(times: number): void {
    this.#b = modulo(this.#b + this.#a * this.#length + this.#weighted);
    this.#a = modulo(this.#a + this.#sum);
    if (times > 1) this.#again(times - 1);
    this.#sum = 0;
    this.#weighted = 0;
  }

  /** Before the row's n-th repetition, counted from 0, `a` has grown by n times the row's sum. */
  #again(times: number): void {
    const once = modulo(this.#a * this.#length + this.#weighted);
    const growth = modulo(this.#sum * this.#length);
    this.#b = modulo(this.#b + times * once + growth * modulo((times * (times - 1)) / 2));
    this.#a = modulo(this.#a + times * this.#sum);
  }

  get value(): number {
    return this.#b * 65_536 + this.#a;
  }
}

/** The remainder of an integer from 0 to 2^53; `%` takes several times as long on such large numbers. */
function modulo(value: number): number {
  return value - Math.floor(value / MODULUS) * MODULUS;
}
