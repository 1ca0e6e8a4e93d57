/**
 * The tokens of a deflate stream (RFC 1951, 3.2.3), one number each. Below 256: a byte. `END`: the end. `REPEAT +
 * length`: the byte before, `length` more times. `COPY + length`, then `ROW`: `length` bytes as they were one row
 * before. Lengths are 3 to 258.
 */
export const END = 256;
export const REPEAT = 256;
export const COPY = 512;
export const ROW = 771;
/** All tokens are less than this. */
export const TOKEN_KINDS = 772;
export const SHORTEST = 3;
const LONGEST = 258;

/** Collects tokens. */
export class TokenList {
  #tokens = new Uint16Array(8192);
  #length = 0;

  byte(value: number): void {
    this.#push(value);
  }

  /** Adds `count` more of the byte before, which is `value`. */
  repeat(value: number, count: number): void {
    let rest = count;
    while (rest >= SHORTEST) {
      const length = lengthOfNext(rest);
      this.#push(REPEAT + length);
      rest -= length;
    }
    for (; rest > 0; rest--) this.#push(value);
  }

  /** Adds `count` bytes, at least 3, equal to those one row before. */
  copy(count: number): void {
    for (let rest = count; rest > 0;) {
      const length = lengthOfNext(rest);
      this.#push(COPY + length);
      this.#push(ROW);
      rest -= length;
    }
  }

  /** The tokens so far, and `END`. */
  finish(): Uint16Array {
    this.#push(END);
    return this.#tokens.subarray(0, this.#length);
  }

  #push(token: number): void {
    if (this.#length === this.#tokens.length) {
      const larger = new Uint16Array(2 * this.#length);
      larger.set(this.#tokens);
      this.#tokens = larger;
    }
    this.#tokens[this.#length++] = token;
  }
}

/** The length of the next match of `rest` bytes, at least 3: the longest that doesn't leave too few for another match. */
function lengthOfNext(rest: number): number {
  if (rest <= LONGEST) return rest;
  return rest < LONGEST + SHORTEST ? rest - SHORTEST : LONGEST;
}
