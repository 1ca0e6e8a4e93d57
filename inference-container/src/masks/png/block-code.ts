import type { Field } from "./bits.ts";
import { canonicalCode, huffmanSizes, type PrefixCode } from "./huffman.ts";
import type { Extended } from "./matches.ts";

/** The header of a deflate block as bits, in order, and the codes of what follows. */
export interface BlockCode {
  readonly header: readonly Field[];
  /** For bytes, the end of the block and match lengths. */
  readonly literals: PrefixCode;
  readonly distances: PrefixCode;
}

/** Marks the last block of a stream: a stream here has only one. */
const FINAL: Field = { bits: 1, size: 1 };
const LONGEST_CODE = 15;
/** Code sizes are themselves Huffman-coded, with at most 7 bits and in this order (RFC 1951, 3.2.7). */
const LONGEST_SIZE_CODE = 7;
const SIZE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const;

/** The fixed code, which needs no description (RFC 1951, 3.2.6). */
export const FIXED_CODE: BlockCode = {
  header: [FINAL, { bits: 1, size: 2 }],
  literals: canonicalCode(
    Uint8Array.from({ length: 288 }, (_, symbol) =>
      symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
    ),
  ),
  distances: canonicalCode(new Uint8Array(32).fill(5)),
};

/** How often each symbol of a block occurs. */
export interface SymbolCounts {
  /** Of the symbols 0 to 285; 256 ends the block. */
  readonly literals: Uint32Array;
  /** Of the symbols 0 to 29. */
  readonly distances: Uint32Array;
  /** The number of bits besides the symbols' codes. */
  readonly extraBits: number;
}

/** The length of the whole block in bits. */
export function bitsOf({ header, literals, distances }: BlockCode, counts: SymbolCounts): number {
  let bits = counts.extraBits;
  for (const { size } of header) bits += size;
  return bits + codesBits(counts.literals, literals.sizes) + codesBits(counts.distances, distances.sizes);
}

function codesBits(counts: Uint32Array, sizes: Uint8Array): number {
  let bits = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) bits += (counts[symbol] ?? 0) * (sizes[symbol] ?? 0);
  return bits;
}

/** The Huffman codes that make such a block shortest, with their description as its header (RFC 1951, 3.2.7). */
export function dynamicCode({ literals, distances }: SymbolCounts): BlockCode {
  const literalSizes = huffmanSizes(literals, LONGEST_CODE);
  const distanceSizes = huffmanSizes(distances, LONGEST_CODE);
  const literalsUsed = used(literalSizes);
  const distancesUsed = Math.max(1, used(distanceSizes));
  const described = new Uint8Array(literalsUsed + distancesUsed);
  described.set(literalSizes.subarray(0, literalsUsed));
  described.set(distanceSizes.subarray(0, distancesUsed), literalsUsed);
  const sizes = packSizes(described);
  const counts = new Uint32Array(SIZE_ORDER.length);
  for (const { symbol } of sizes) counts[symbol] = (counts[symbol] ?? 0) + 1;
  const code = canonicalCode(huffmanSizes(counts, LONGEST_SIZE_CODE));
  const ordered = new Uint8Array(SIZE_ORDER.length);
  for (let i = 0; i < ordered.length; i++) ordered[i] = code.sizes[SIZE_ORDER[i] ?? 0] ?? 0;
  const orderedUsed = used(ordered);
  const header = [
    FINAL,
    { bits: 2, size: 2 },
    { bits: literalsUsed - 257, size: 5 },
    { bits: distancesUsed - 1, size: 5 },
    { bits: orderedUsed - 4, size: 4 },
  ];
  for (const bits of ordered.subarray(0, orderedUsed)) header.push({ bits, size: 3 });
  for (const { symbol, extra, extraBits } of sizes) {
    header.push({ bits: code.codes[symbol] ?? 0, size: code.sizes[symbol] ?? 0 });
    if (extraBits > 0) header.push({ bits: extra, size: extraBits });
  }
  return { header, literals: canonicalCode(literalSizes), distances: canonicalCode(distanceSizes) };
}

/** The number of sizes up to the last that isn't 0. */
function used(sizes: Uint8Array): number {
  let count = sizes.length;
  while (count > 0 && sizes[count - 1] === 0) count--;
  return count;
}

/** Code sizes as symbols: each by itself, or a run of zeros (17 and 18), or a repetition of the last size (16). */
function packSizes(sizes: Uint8Array): Extended[] {
  const packed: Extended[] = [];
  for (let at = 0; at < sizes.length;) {
    const size = sizes[at] ?? 0;
    const from = at;
    while (at < sizes.length && sizes[at] === size) at++;
    let rest = at - from;
    if (size > 0) {
      packed.push({ symbol: size, extra: 0, extraBits: 0 });
      rest--;
    }
    while (rest >= 3) {
      const many = size === 0 && rest > 10;
      const count = Math.min(rest, size > 0 ? 6 : many ? 138 : 10);
      if (size > 0) packed.push({ symbol: 16, extra: count - 3, extraBits: 2 });
      else if (many) packed.push({ symbol: 18, extra: count - 11, extraBits: 7 });
      else packed.push({ symbol: 17, extra: count - 3, extraBits: 3 });
      rest -= count;
    }
    for (; rest > 0; rest--) packed.push({ symbol: size, extra: 0, extraBits: 0 });
  }
  return packed;
}
