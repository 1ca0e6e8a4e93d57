/** The largest prime below 2^16. */
const MODULUS = 65_521;

/**
 * The checksum Adler-32 (RFC 1950, 2.2 and 8.2) of rows of equal length whose bytes are known in stretches: `a` is one more
 * than the sum of all bytes, `b` the sum of all values that `a` went through. So n bytes of value v that begin i bytes
 * into a row of length L add n · v to the row's own sum, and v · (n · (L − i) − n · (n − 1) / 2) to its share of `b`.
 */
export class RowAdler {
  readonly #length: number;
  #a = 1;
  #b = 0;
  #sum = 0;
  #weighted = 0;

  /** @param length bytes a row, at most 2^22, so that every sum is exact in a float64 */
  constructor(length: number) {
    this.#length = length;
  }

  /** The row has `count` bytes of this value from its byte `at` on. */
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

  /** Before its n-th repetition, from 0, `a` has grown by n times the row's sum. */
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

/** The remainder of a whole number from 0 to 2^53; `%` takes several times as long there. */
function modulo(value: number): number {
  return value - Math.floor(value / MODULUS) * MODULUS;
}
