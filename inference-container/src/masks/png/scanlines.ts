import { RowAdler } from "./adler.ts";
import type { RowRuns } from "../runs/row-runs.ts";
import { SHORTEST, TokenList } from "./tokens.ts";

/** The farthest that a deflate stream can refer back, in bytes (RFC 1951, 3.2.5). */
const WINDOW = 32_768;
/** The filter byte of an unfiltered scanline; it counts as one more clear byte. */
const NO_FILTER = 0;

/** A mask's scanlines as tokens of a deflate stream. */
export interface Scanlines {
  readonly tokens: Uint16Array;
  /** Bytes per scanline: how far a `COPY` token refers back. */
  readonly length: number;
  /** The Adler-32 checksum of the scanlines' bytes. */
  readonly adler: number;
}

/**
 * Unfiltered scanlines of one-bit pixels, most significant bit first (W3C PNG, third edition, 7.2 and 9.2), as
 * stretches of equal bytes and of rows equal to the row above. It visits no byte between two edges.
 */
export function toScanlines({ width, height, starts, edges }: RowRuns): Scanlines {
  const length = 1 + Math.ceil(width / 8);
  const scanlines = new ScanlineList(length);
  for (let y = 0; y < height;) {
    const first = starts[y] ?? 0;
    const end = starts[y + 1] ?? 0;
    for (let at = first; at < end; at += 2) scanlines.add(edges[at] ?? 0, edges[at + 1] ?? 0);
    const equal = length <= WINDOW ? equalRows(starts, edges, y, height) : 1;
    const times = (equal - 1) * length < SHORTEST ? 1 : equal;
    scanlines.endRow(times);
    y += times;
  }
  return scanlines.finish();
}

/** The number of equal rows from row y on, y included. */
function equalRows(starts: Int32Array, edges: Int32Array, y: number, height: number): number {
  const first = starts[y] ?? 0;
  const length = (starts[y + 1] ?? 0) - first;
  let next = y + 1;
  for (; next < height; next++) {
    const other = starts[next] ?? 0;
    if ((starts[next + 1] ?? 0) - other !== length) break;
    let i = 0;
    while (i < length && edges[first + i] === edges[other + i]) i++;
    if (i < length) break;
  }
  return next - y;
}

class ScanlineList {
  readonly #length: number;
  readonly #tokens = new TokenList();
  readonly #adler: RowAdler;
  /** The row's first byte that isn't emitted yet, and its bits so far. */
  #at = 0;
  #bits = NO_FILTER;
  /** The byte emitted last, and how many more of it are to follow. */
  #value = -1;
  #more = 0;

  constructor(length: number) {
    this.#length = length;
    this.#adler = new RowAdler(length);
  }

  /** Sets the pixels [from, to), which lie after those already set in the row. */
  add(from: number, to: number): void {
    this.#moveTo(1 + (from >> 3), 0);
    this.#bits |= 0xff >> (from & 7);
    this.#moveTo(1 + (to >> 3), 0xff);
    this.#bits &= 0xff00 >> (to & 7);
  }

  /** Ends a row that comes `times` times; if more than once, the repetitions have at least 3 bytes in all. */
  endRow(times: number): void {
    this.#moveTo(this.#length, 0);
    this.#adler.endRow(times);
    this.#at = 0;
    this.#bits = NO_FILTER;
    if (times === 1) return;
    const bytes = (times - 1) * this.#length;
    if (this.#value === NO_FILTER && this.#more >= this.#length - 1) this.#more += bytes;
    else {
      this.#endStretch();
      this.#tokens.copy(bytes);
    }
  }

  finish(): Scanlines {
    this.#endStretch();
    return { tokens: this.#tokens.finish(), length: this.#length, adler: this.#adler.value };
  }

  /** Emits the current byte, then `value` for each byte after it and before `at`; byte `at` begins as `value` too. */
  #moveTo(at: number, value: number): void {
    if (at === this.#at) return;
    this.#say(this.#at, this.#bits, 1);
    if (at - this.#at > 1) this.#say(this.#at + 1, value, at - this.#at - 1);
    this.#at = at;
    this.#bits = value;
  }

  #say(at: number, value: number, count: number): void {
    if (value > 0) this.#adler.add(at, value, count);
    if (value === this.#value) {
      this.#more += count;
      return;
    }
    this.#endStretch();
    this.#tokens.byte(value);
    this.#value = value;
    this.#more = count - 1;
  }

  #endStretch(): void {
    if (this.#more > 0) this.#tokens.repeat(this.#value, this.#more);
    this.#more = 0;
  }
}
